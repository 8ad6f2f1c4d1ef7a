tma decode --json map_double_words_0x_unpadded.txt | grep -o '"map": "[0-9a-f]*"'
