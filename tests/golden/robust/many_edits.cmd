M=$(tma encode --dtype f16 --dim 64 --box 64)
tma replace $M $(for i in {1..300}; do echo --field rank --value 0; done)
