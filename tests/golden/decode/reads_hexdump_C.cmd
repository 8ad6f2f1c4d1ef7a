tma decode --json map_hexdump_C.txt | grep -o '"map": "[0-9a-f]*"'
