tma decode bad_od_plain.txt
