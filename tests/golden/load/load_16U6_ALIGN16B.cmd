tma load --arch sm_100a --dtype 16U6_ALIGN16B --dim 256,4 --box 128,2 --coord 0,3 --swizzle 128B \
    --raw - | od -A d -t x1
