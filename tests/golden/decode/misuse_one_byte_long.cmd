tma decode bad_one_byte_long.txt
