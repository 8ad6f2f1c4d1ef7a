tma load --dtype uint8 --dim 256,256,64 --box 16,256,16 --swizzle 128B
