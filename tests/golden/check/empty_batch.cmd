tma check --dtype bf16 --dim 128,0 --box 64,64 --swizzle 128B
