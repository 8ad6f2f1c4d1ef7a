tma decode --json map_c_double_words.txt | grep -o '"map": "[0-9a-f]*"'
