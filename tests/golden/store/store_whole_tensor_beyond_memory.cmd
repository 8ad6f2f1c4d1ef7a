tma store --dtype float32 --dim 4096,2^20 --box 32,2 --out x.npy
