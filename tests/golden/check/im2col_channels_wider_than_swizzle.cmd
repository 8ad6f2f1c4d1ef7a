tma check --api im2col --dtype f16 --dim 128,8,8,1 --lower -1,-1 --upper -1,-1 --channels 128 --pixels 16 --swizzle 128B --l2 128B
