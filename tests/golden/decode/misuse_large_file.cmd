head -c 2000000 /dev/zero | tma decode -
