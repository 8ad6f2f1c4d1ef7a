tma store --api im2col --dtype float16 --dim 32,8,8,4 --lower 0,0 --upper 0,0 --channels 32 \
    --pixels 12 --coord 0,4,7,0
