tma plan --arch sm_100a --dtype 16U6_ALIGN16B --dim 256,4 --box 128,1 --coord 128,3 --walk
