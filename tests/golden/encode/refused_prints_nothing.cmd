tma encode --dtype f16 --dim 4096,4096 --box 128,64 --swizzle 128B
