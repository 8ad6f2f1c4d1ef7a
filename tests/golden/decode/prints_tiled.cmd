tma decode map.bin
