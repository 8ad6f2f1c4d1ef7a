tma load --dtype uint8 --dim 64,4 --box 16,1 --tensor x --ramp
