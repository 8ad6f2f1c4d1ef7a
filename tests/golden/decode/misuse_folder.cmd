tma decode .
