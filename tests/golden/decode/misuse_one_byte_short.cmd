tma decode bad_one_byte_short.txt
