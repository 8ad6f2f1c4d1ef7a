tma encode --dtype u8 --dim 1024,128 --box 16,8 --arch sm_100 | tma decode - --arch sm_90 | grep -A9 "^odd"
