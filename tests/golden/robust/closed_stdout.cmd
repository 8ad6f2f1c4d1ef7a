tma list dtypes >&-
