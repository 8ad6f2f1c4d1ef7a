tma encode --dtype bf16 --dim 7168,4096 --box 64,128 --swizzle 128B --l2 256B --format raw | od -An -tx1 -v
