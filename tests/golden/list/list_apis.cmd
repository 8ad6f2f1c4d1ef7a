tma list apis
