tma encode --dtype f16 --dim 10,4,2 --box 8,4,1 --interleave 32B --swizzle 32B | tma decode - | grep '^tma encode'
