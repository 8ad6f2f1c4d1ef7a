tma decode --json map.bin map_hex.txt | cut -c1-80
