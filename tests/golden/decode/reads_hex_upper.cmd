tma decode --json map_hex_upper.txt | grep -o '"map": "[0-9a-f]*"'
