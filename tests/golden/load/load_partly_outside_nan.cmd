tma load --dtype float32 --dim 10,6 --stride 48 --fill nan --box 8,3 --coord 4,4
