tma check --dtype f64 --dim 2^63,2 --box 8,1
