tma check --api im2col --dtype f16 --dim 64,15,16,2 --lower -1,-1 --upper 2,2 --channels 64 --pixels 128 --json
