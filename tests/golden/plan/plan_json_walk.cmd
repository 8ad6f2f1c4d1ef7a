tma plan --dtype float32 --dim 30,16 --stride 128 --box 32,2 --coord 0,15 --op store --json --walk
