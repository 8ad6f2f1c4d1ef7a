tma decode bad_gdb_cut_off.txt
