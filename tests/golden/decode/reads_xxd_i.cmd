tma decode --json map_xxd_i.txt | grep -o '"map": "[0-9a-f]*"'
