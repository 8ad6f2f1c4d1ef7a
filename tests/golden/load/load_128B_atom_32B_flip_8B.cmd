tma load --arch sm_120a --dtype uint32 --dim 30,8 --stride 128 --box 32,8 \
    --swizzle 128B_ATOM_32B_FLIP_8B
