tma plan --mode gather4 --dtype bfloat16 --dim 64,8192 --box 64,1 --coord 0,5,5,8192,-1
