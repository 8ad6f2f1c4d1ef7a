tma store --dtype uint16 --dim 64,6 --box 64,4 --coord 0,4
