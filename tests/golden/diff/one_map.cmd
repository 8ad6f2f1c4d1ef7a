tma diff aa
