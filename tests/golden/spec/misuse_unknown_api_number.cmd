tma check --api 3 --dtype f16 --dim 8 --box 8
