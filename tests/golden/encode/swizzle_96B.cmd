tma encode --dtype u8 --dim 96,64 --box 96,8 --swizzle 96B --arch sm_103a
