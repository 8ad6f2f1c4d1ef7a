tma plan --api im2col --dtype float16 --dim 64,8,8,4 --lower -1,-1 --upper -1,-1 --channels 32 \
    --pixels 20 --swizzle 64B --coord 0,-1,-1,0 --offset 1,2
