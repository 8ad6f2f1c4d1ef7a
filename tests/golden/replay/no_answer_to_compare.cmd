tma replay --check
