set -e
tma check --dtype f16 --dim 64 --box 64 --driver 12.8 | head -2
tma check --dtype f16 --dim 64 --box 64 --driver 12080 | head -2
