tma decode --json map.bin
