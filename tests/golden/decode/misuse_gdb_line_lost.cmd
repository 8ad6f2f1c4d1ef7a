tma decode bad_gdb_line_lost.txt
