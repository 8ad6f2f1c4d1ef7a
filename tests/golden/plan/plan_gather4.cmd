tma plan --arch sm_100a --mode gather4 --dtype bfloat16 --dim 64,8192 --box 64,1 --swizzle 128B --coord 0,5,5,8192,-1
