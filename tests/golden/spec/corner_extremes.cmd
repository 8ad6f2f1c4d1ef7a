tma check --level refused --api im2col --dtype f16 --dim 8,8,8 --lower -2147483648 --upper 2147483647 --channels 8 --pixels 8
