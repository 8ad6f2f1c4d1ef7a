tma decode bad_star_backwards.txt
