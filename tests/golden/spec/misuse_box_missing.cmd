tma check --dtype f16 --dim 8
