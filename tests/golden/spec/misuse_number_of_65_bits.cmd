tma check --dtype f16 --dim 18446744073709551616 --box 8
