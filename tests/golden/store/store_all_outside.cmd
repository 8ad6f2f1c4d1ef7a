tma store --dtype uint16 --dim 64,6 --box 64,2 --coord 0,6
