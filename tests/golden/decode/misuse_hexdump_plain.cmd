tma decode bad_hexdump_plain.txt
