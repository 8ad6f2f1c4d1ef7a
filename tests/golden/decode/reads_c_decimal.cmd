tma decode --json map_c_decimal.txt | grep -o '"map": "[0-9a-f]*"'
