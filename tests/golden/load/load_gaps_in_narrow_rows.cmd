tma load --dtype float16 --dim 64,32 --box 16,4 --swizzle 128B
