tma load --dtype float32 --dim 4096,2^20 --box 32,2 --tensor nosuch.npy
