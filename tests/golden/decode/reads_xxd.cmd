tma decode --json map_xxd.txt | grep -o '"map": "[0-9a-f]*"'
