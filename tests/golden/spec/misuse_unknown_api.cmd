tma check --api tile2d --dtype f16 --dim 8 --box 8
