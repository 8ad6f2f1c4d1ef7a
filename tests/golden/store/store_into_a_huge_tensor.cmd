tma store --dtype float32 --dim 4096,2^30 --box 32,2 --coord 64,1000000000
