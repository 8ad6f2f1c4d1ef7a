tma decode --json map_gdb_x128xb.txt | grep -o '"map": "[0-9a-f]*"'
