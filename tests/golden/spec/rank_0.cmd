tma check --dtype f16 --rank 0 --dim 8 --box 8
