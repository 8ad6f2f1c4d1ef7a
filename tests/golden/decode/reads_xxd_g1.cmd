tma decode --json map_xxd_g1.txt | grep -o '"map": "[0-9a-f]*"'
