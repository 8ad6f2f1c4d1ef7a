tma check --dtype bf61 --dim 8 --box 8
