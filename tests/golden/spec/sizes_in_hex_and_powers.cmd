tma encode --dtype u8 --address 0x10 --dim 2^32,0x40 --stride 2^33 --box 0x10,2^6 | tma decode - | grep '^tma encode'
