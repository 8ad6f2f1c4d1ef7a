tma check --dtype f16 --dim 1001,4096 --box 64,64 --level refused
