tma diff a b c
