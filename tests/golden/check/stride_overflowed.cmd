tma check --dtype bf16 --dim 192,131072,128,1 --stride 49152,384,2305843007066210304 --box 64,128,1,1 --swizzle 128B --l2 128B
