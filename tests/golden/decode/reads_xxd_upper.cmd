tma decode --json map_xxd_upper.txt | grep -o '"map": "[0-9a-f]*"'
