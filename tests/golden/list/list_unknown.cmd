tma list dtype
