tma check --dtype 4294967296 --dim 8 --box 8
