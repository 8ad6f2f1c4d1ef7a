tma check --dtype f16 --dim 8 --box 8 --driver 13.x
