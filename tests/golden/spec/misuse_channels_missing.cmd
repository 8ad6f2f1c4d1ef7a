tma check --api im2col --dtype f16 --dim 8,8,8 --lower 0 --upper 0 --pixels 8
