tma check --dtype f16 --dim 8 --box 8 --arch 90 --arch 100
