tma chek
