tma decode --json map_xxd_c24.txt | grep -o '"map": "[0-9a-f]*"'
