tma list replace-fields
