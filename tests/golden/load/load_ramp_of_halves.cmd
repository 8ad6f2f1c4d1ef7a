tma load --dtype float16 --dim 8,300 --box 8,8 --coord 0,252 --raw - | od -A d -t x2
