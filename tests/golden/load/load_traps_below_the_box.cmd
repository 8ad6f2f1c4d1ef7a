tma load --api im2col --dtype float16 --dim 64,8,8,4 --lower -1,-1 --upper -1,-1 --channels 32 \
    --pixels 20 --coord 0,-2,0,0
