tma decode bad_half_a_map.txt
