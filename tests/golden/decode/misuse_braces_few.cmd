tma decode bad_braces_few.txt
