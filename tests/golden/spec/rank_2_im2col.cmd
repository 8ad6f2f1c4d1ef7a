tma check --api im2col --dtype f16 --dim 8,8 --channels 8 --pixels 8
