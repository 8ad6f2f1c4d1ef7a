tma check --dtype f16 --dim 64,64 --stride 128,8192 --box 8,8
