tma check --dtype f16 --address 0x10000000000000000 --dim 8 --box 8
