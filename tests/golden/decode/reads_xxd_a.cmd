tma decode --json map_xxd_a.txt | grep -o '"map": "[0-9a-f]*"'
