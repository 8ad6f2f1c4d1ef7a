tma decode bad_braces_open.txt
