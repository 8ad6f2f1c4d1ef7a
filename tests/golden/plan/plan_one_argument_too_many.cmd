tma plan --dtype bfloat16 --dim 64,32 --box 64,1 map.bin
