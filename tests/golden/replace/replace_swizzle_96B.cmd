M=$(tma encode --dtype bf16 --dim 4096,8192 --box 64,128 --swizzle 128B)
tma replace $M --field swizzle_mode --value 96B | tma diff $M -
