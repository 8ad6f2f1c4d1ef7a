tma plan --op store --multicast 3 --dtype bfloat16 --dim 64,32 --box 64,1
