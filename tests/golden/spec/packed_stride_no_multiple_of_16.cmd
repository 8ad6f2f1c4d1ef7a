tma check --level refused --dtype f16 --dim 1001,4 --box 64,4
