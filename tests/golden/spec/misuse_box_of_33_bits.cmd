tma check --dtype f16 --dim 8 --box 2^32
