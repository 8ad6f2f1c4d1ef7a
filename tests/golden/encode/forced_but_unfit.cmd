tma encode --dtype f16 --dim 0,2^33 --stride 17 --box 64,300 --element-stride 1,9 --force
