tma check --dtype f16 --dim 64,64 --stride 0 --box 64,64
