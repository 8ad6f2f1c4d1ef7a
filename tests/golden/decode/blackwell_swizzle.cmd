tma encode --dtype f32 --dim 64,64 --box 32,8 --swizzle 128B_ATOM_32B_FLIP_8B --arch sm_100a | tma decode - --arch sm_100a | sed -n 1,22p
