tma decode bad_raw_127.bin
