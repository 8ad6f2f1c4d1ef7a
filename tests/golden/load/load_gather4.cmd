tma load --arch sm_100a --dtype uint32 --dim 32,16 --box 32,1 --swizzle 128B --mode tile::gather4 \
    --coord 0,2,0,20,1
