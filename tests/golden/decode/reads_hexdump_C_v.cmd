tma decode --json map_hexdump_C_v.txt | grep -o '"map": "[0-9a-f]*"'
