tma check --api wide --dtype f16 --dim 8,8,8,8 --lower 0,0 --upper 0 --channels 8 --pixels 8
