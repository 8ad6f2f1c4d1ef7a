tma plan --op add --dtype float32 --dim 64,32 --box 32,4 --coord 0,-1 --json --walk
