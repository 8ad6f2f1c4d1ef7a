tma decode bad_xxd_b.txt
