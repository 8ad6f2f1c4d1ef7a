tma load --arch sm_100a --dtype uint32 --dim 32,4000000000 --box 32,1 --mode gather4 \
    --coord 0,2000000000,0,20,2147483647
