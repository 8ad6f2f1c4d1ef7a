tma decode --json map_gdb_with_prompt.txt | grep -o '"map": "[0-9a-f]*"'
