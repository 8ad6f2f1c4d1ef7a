tma decode map.bin map_hex.txt nosuch.bin | grep -v "^0x\|^  "
