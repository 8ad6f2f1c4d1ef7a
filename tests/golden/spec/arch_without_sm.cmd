tma encode --dtype f16 --dim 64 --box 64 --arch 100a | tma decode - | grep '^tma encode'
