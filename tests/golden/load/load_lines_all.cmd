tma load --dtype bfloat16 --dim 64,8192 --box 64,40 --swizzle 128B --lines all | tail -n 10
