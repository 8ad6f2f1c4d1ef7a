tma decode bad_repeats_a_million.txt
