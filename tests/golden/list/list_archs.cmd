tma list archs
