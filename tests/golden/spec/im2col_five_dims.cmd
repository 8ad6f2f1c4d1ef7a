tma encode --api im2col --dtype f32 --dim 8,9,10,11,2 --lower -1,-2,-3 --upper 1,2,3 --channels 8 --pixels 16 | tma decode - | grep '^tma encode'
