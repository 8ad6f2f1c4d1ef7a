tma encode --dtype bfloat16 --dim 64,32 --box 64,8 --swizzle 128B |
    tma load --map - --coord 0,28
