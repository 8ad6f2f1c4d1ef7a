tma load --dtype uint8 --dim 64,4 --box 16,1 --out nosuch/o.npy 2>&1 >/dev/null
