tma plan --op store --dtype float32 --dim 30,16 --stride 128 --box 32,4 --coord 0,14
