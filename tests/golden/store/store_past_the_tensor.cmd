tma store --dtype uint8 --dim 50,16 --stride 64 --box 64,4 --coord 0,14
