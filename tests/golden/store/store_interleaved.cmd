tma store --dtype bfloat16 --dim 10,8,3,2 --interleave 16B --box 8,2,1,1 \
    --stride 160,1280,3840 --coord 8,7,0,1
