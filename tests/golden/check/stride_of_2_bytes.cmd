tma check --dtype bf16 --dim 128,4096,1 --stride 1024,2 --box 64,64,1 --swizzle 128B
