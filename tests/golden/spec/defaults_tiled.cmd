tma encode --dtype bf16 --dim 4096,8192 --box 64,128 | tma decode - | grep '^tma encode'
