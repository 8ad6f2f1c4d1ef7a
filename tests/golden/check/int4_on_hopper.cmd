tma check --dtype 16u4_align16b --dim 8192,4096 --box 128,32
