tma list dtypes
