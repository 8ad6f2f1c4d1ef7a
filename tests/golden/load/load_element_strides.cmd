tma load --dtype float32 --dim 32,32 --box 32,8 --element-stride 1,3 --coord 0,20
