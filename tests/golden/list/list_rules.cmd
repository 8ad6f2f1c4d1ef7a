tma list rules
