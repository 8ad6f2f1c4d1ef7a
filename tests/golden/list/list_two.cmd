tma list dtypes l2
