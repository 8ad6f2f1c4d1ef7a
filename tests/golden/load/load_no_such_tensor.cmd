tma load --dtype float32 --dim 4,2 --box 4,2 --tensor nosuch.npy
