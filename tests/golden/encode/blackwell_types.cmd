tma encode --dtype 16u6_align16b --dim 256,64 --stride 192 --box 128,8 --swizzle 128B_ATOM_64B --arch sm_100a
