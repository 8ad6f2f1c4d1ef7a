tma store --dtype uint16 --dim 64,64 --box 64,64 --lines 4
