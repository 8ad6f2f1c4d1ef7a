tma check --dtype f16 --dim 8 --box 8 --swizzle 129B
