tma load --dtype bfloat16 --dim 10,8,3,2 --interleave 32B --box 8,2,1,1 --swizzle 32B \
    --stride 320,2560,7680 --coord 0,0,1,0
