tma plan --cta-group 1 --dtype bfloat16 --dim 64,32 --box 64,1
