tma explain $(head -c 100000 /dev/zero | tr "\0" x) 2>&1 | cut -c1-140
