tma decode --json map_words_0x.txt | grep -o '"map": "[0-9a-f]*"'
