tma plan --arch sm_100a --api wide --wide-mode W128 --dtype float16 --dim 64,300,4,2 --lower 0 \
    --upper 0 --channels 64 --pixels 128 --swizzle 128B --offset 2,0
