tma list l2
