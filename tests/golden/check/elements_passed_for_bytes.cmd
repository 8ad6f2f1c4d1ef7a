tma check --dtype bf16 --dim 4096,8192 --stride 4096 --box 64,128 --swizzle 128B
