tma check --colour --dtype bf16 --dim 8 --box 8
