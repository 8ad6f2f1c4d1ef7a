tma encode --dtype uint8 --dim 96,32 --box 96,8 --arch sm_103a |
    tma replace --field swizzle_mode --value 4 - 2>/dev/null |
    tma load --map - --arch sm_103a --coord 0,30 --shared 0x480
