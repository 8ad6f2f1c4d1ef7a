tma decode bad_gdb_half.txt
