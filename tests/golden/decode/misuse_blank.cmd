tma decode bad_blank.txt
