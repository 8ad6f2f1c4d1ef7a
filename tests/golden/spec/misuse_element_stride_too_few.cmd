tma check --dtype f16 --dim 64,64 --box 8,8 --element-stride 1
