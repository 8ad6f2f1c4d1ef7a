tma decode bad_braces_word.txt
