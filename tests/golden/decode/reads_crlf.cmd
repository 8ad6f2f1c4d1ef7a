tma decode --json map_crlf.txt | grep -o '"map": "[0-9a-f]*"'
