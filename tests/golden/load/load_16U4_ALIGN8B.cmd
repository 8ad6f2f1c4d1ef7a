tma load --arch sm_120a --dtype 16U4_ALIGN8B --dim 256,4 --box 128,2 --coord 0,3
