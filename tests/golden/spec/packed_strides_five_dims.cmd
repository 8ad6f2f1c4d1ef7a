tma encode --dtype f32 --dim 8,3,5,7,11 --box 8,1,1,1,1 | tma decode - | grep '^tma encode'
