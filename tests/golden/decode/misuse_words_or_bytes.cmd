tma decode bad_words_or_bytes.txt
