tma load --api wide --dtype float16 --dim 64,10,4,2 --lower -1 --upper -1 \
    --channels 64 --pixels 8 --swizzle 128B
