tma check --dtype f16 --dim 32,4 --box 64,128 --swizzle 128B --level refused
