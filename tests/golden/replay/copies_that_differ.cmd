tma replay --check 2>&1
