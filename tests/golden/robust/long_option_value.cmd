tma check --dtype $(head -c 100000 /dev/zero | tr "\0" x) --dim 8 --box 8 2>&1 | cut -c1-140
