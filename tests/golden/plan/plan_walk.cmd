tma plan --dtype float16 --dim 64,32 --box 32,4 --swizzle 64B --coord 48,29 --walk
