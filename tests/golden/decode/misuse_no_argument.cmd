tma decode
