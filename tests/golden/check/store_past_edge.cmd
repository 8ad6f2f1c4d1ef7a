tma check --dtype f16 --dim 1001,4096 --stride 2016 --box 64,64
