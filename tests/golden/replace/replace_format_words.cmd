M=$(tma encode --dtype bf16 --dim 4096,8192 --box 64,128 --swizzle 128B)
tma replace $M --field global_address --value 0x7f0000001000 --format words
