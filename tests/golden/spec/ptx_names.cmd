tma encode --dtype tf32.ftz --dim 64 --box 16 | tma decode - | grep '^tma encode'
