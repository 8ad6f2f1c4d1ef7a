tma list fields
