tma diff $(tma encode --dtype bf16 --dim 4096,8192 --box 64,128 --swizzle 128B) $(tma encode --api im2col --dtype f16 --dim 64,15,16,2 --lower -1,-1 --upper -12,-2 --channels 64 --pixels 128)
