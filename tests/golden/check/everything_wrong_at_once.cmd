tma check --dtype 77 --address 0x3 --dim 0,2^33 --stride 17 --box 0,300 --element-stride 0,9 --interleave 3 --swizzle 9 --l2 4 --fill 2
