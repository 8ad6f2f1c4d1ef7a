tma load --dtype bfloat16 --dim 64,8192 --box 64,128 --swizzle 128B --coord 0,8100
