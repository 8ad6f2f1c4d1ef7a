tma encode --dtype f16 --dim 1000 --box 256 | tma decode - | grep '^tma encode'
