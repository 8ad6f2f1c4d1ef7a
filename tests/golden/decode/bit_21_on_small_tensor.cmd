tma encode --dtype u8 --dim 1024,128 --box 16,8 --arch sm_100 | tma replace - --field global_dim --ord 1 --value 2 2>/dev/null | tma decode - | grep -A2 "^odd"
