tma plan --mode im2col --dtype bfloat16 --dim 64,32 --box 64,1
