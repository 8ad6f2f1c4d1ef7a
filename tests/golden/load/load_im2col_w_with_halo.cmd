tma load --arch sm_100a --api wide --dtype float16 --dim 64,10,4,2 --lower -1 --upper -1 \
    --channels 64 --pixels 8 --swizzle 128B --coord 0,-1,2,1 --w-halo 2 --w-offset 1
