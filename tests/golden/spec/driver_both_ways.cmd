set -e
tma check --dtype f16 --dim 64 --box 64 --driver 12.8 | sed -n 1,2p
tma check --dtype f16 --dim 64 --box 64 --driver 12080 | sed -n 1,2p
