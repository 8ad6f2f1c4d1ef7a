head -c 10000000 /dev/zero | tr '\0' a | tma replay 2>&1 | cut -c1-150
