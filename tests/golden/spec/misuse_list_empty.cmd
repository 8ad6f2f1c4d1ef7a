tma check --dtype f16 --dim '' --box 8
