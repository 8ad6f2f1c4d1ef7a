tma encode --api im2col --dtype f16 --dim 64,15,16,2 --lower -1,-1 --upper -12,-2 --channels 64 --pixels 128 --element-stride 1,3,2,1 --swizzle 128B | tma decode -
