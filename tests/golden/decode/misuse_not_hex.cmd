tma decode bad_not_hex.txt
