tma decode --json map_hex_0x_whole.txt | grep -o '"map": "[0-9a-f]*"'
