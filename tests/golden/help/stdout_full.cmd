tma list dtypes > /dev/full
