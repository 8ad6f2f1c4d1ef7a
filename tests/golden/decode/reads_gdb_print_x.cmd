tma decode --json map_gdb_print_x.txt | grep -o '"map": "[0-9a-f]*"'
