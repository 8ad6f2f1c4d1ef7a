tma decode bad_braces_octal.txt
