tma plan --op prefetch --dtype bfloat16 --dim 4096,8192 --box 64,128 --swizzle 128B --coord 64,8128
