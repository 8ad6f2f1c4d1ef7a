tma load --dtype bfloat16 --dim 64,32 --box 64,8 --swizzle 128B --shared 0x480
