tma check --dtype u8 --address 2^63 --dim 0xffffffffffffffff,2 --stride 2^63 --box 16,1 --json --level refused
