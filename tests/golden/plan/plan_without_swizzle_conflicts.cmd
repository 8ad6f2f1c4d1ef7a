tma plan --dtype bfloat16 --dim 4096,8192 --box 64,128 --coord 64,0
