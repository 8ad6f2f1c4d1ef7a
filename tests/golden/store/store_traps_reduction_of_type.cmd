tma store --op min --dtype float32 --dim 64,32 --box 32,4
