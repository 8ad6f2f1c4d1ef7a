tma check --dtype f16 --dim 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1 --box 8
