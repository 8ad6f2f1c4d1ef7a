tma decode --json map_xxd_e.txt | grep -o '"map": "[0-9a-f]*"'
