tma encode --dtype 9 --dim 64 --box 64 --swizzle 3 --l2 2 --fill 1 --interleave 0 | tma decode - | grep '^tma encode'
