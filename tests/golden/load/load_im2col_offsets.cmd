tma load --api im2col --dtype float16 --dim 64,8,8,4 --lower -1,-1 --upper -1,-1 --channels 64 \
    --pixels 8 --swizzle 128B --coord 0,-1,2,1 --offset 2,1 --element-stride 1,2,2,1
