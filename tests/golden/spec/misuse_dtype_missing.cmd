tma check --dim 8 --box 8
