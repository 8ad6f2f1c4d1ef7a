# NHWC, 3 x 3 filter: the top left corner of the padding
tma load --api im2col --dtype float16 --dim 64,8,8,4 --lower -1,-1 --upper -1,-1 --channels 32 \
    --pixels 20 --swizzle 64B --coord 0,-1,-1,0
