tma load --arch sm_120a --dtype 16U4_ALIGN16B --dim 256,4 --box 128,2 --coord 128,2
