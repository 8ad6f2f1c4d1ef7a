tma decode --json map_hex_spaced.txt | grep -o '"map": "[0-9a-f]*"'
