tma load --dtype bfloat16 --dim 64,32 --box 64,1 --multicast 0x3
