tma load --dtype uint32 --dim 8,4 --stride 16 --box 8,4 --raw - | od -A d -t u4 -w32; tma load --dtype uint32 --dim 8,4 --stride 16 --box 8,4
