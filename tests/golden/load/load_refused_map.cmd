tma load --dtype bfloat16 --dim 64,32 --box 128,8 --swizzle 128B
