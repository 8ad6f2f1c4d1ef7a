tma load --dtype uint8 --dim 64,4 --box 16,1 --raw /dev/full 2>&1 >/dev/null
