tma store --dtype float32 --dim 64,32 --box 32,4 --swizzle 128B --coord 32,8
