tma encode --dtype f16 --dim 4096,4096 --box 128,300 --force --json
