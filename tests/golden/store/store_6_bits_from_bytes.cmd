tma store --arch sm_100a --dtype 16U6_ALIGN16B --dim 128,2 --box 128,1 --raw - | od -A d -t x1 -N 96
