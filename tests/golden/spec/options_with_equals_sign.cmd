tma encode --dtype=f16 --dim=64,64 --box=8,8 --swizzle=none | tma decode - | grep '^tma encode'
