tma decode --json map_xxd_p.txt | grep -o '"map": "[0-9a-f]*"'
