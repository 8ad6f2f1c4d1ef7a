tma decode --json map_xxd_g4.txt | grep -o '"map": "[0-9a-f]*"'
