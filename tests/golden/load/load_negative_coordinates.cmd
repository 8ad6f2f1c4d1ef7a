tma load --dtype float32 --dim 12,6 --box 8,3 --coord -4,-1
