NO_COLOR=1 tma check --dtype f16 --dim 4096 --box 127 --color=auto
