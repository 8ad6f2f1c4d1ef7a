tma check --dtype f16 --dim 0x --box 8
