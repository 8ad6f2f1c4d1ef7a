tma load --dtype float16 --dim 64,32 --box 32,8 --swizzle 64B --coord 16,0
