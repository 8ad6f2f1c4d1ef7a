tma load --dtype uint8 --dim 64,4 --box 16,1 --coord 0,1,2,3,4,5
