tma check --dtype f16 --dim 12x --box 8
