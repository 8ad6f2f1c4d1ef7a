tma check --dtype f32 --dim 64,64 --box 32,8 --swizzle 128B_ATOM_32B
