tma encode --dtype 16u4_align8b --dim 128,64 --box 128,8 --arch sm_100a | tma decode - | grep '^tma encode'
