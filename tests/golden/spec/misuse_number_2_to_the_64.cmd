tma check --dtype f16 --dim 2^64 --box 8
