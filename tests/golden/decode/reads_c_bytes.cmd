tma decode --json map_c_bytes.txt | grep -o '"map": "[0-9a-f]*"'
