tma load --dtype bfloat16 --dim 64,32 --box 64,8 --window 1000
