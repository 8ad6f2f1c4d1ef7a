tma decode --json map_hex_colons.txt | grep -o '"map": "[0-9a-f]*"'
