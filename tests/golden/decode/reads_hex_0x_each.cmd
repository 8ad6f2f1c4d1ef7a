tma decode --json map_hex_0x_each.txt | grep -o '"map": "[0-9a-f]*"'
