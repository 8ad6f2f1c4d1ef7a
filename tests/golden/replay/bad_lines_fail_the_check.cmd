tma replay --check 2>/dev/null
