tma decode --json map_hex.txt | grep -o '"map": "[0-9a-f]*"'
