tma decode nosuch.bin
