tma load --arch sm_120a --dtype uint32 --dim 32,8 --box 32,8 --swizzle 128B_ATOM_32B
