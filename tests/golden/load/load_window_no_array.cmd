tma load --dtype float64 --dim 64,4 --box 2,1 --window 100 --out /dev/null 2>&1 >/dev/null
