tma check --dtype f16 --box 8
