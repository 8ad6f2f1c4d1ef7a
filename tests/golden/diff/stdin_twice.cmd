tma diff - -
