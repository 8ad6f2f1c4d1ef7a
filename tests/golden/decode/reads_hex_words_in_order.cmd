tma decode --json map_hex_words_in_order.txt | grep -o '"map": "[0-9a-f]*"'
