tma plan --arch sm_100a --multicast 0xf --cta-group 2 --dtype bfloat16 --dim 4096,8192 \
    --box 64,128 --swizzle 128B --shared 0x480
