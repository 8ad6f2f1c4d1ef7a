tma load --dtype uint8 --dim 64,5,4,3,2 --box 32,1,2,2,1 --coord 16,2,1,1,1
