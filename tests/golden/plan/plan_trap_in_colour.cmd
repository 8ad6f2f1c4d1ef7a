tma plan --op add --dtype uint8 --dim 64,32 --box 32,4 --color=always
