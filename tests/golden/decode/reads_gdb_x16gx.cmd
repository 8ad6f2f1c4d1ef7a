tma decode --json map_gdb_x16gx.txt | grep -o '"map": "[0-9a-f]*"'
