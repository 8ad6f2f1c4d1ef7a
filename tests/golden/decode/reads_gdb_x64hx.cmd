tma decode --json map_gdb_x64hx.txt | grep -o '"map": "[0-9a-f]*"'
