tma decode bad_mixed_prefixes.txt
