tma decode --json - < map.bin | grep -o '"map": "[0-9a-f]*"'
