tma check --dtype f16 --rank 6 --dim 8,8,8,8,8 --box 8,1,1,1,1
