tma
