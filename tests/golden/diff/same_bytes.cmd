tma encode --dtype bf16 --dim 4096,8192 --box 64,128 --swizzle 128B > $SCRATCH/x.a
tma encode --dtype bf16 --dim 4096,8192 --box 64,128 --swizzle 128B --format words | tma diff $SCRATCH/x.a -
