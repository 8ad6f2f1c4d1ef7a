tma check --dtype f16 --dim 64 --stride 128 --box 8
