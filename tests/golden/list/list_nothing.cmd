tma list
