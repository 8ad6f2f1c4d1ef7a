tma check --dtype 99 --dim 8,8 --box 8,8
