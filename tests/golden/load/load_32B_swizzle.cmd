tma load --dtype float32 --dim 64,32 --box 8,16 --swizzle 32B --coord 16,0
