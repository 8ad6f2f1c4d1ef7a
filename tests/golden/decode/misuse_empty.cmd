tma decode bad_empty.txt
