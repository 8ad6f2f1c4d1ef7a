tma check --dtype f16 --dim '8, 8' --box 8,8
