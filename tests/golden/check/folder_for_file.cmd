tma check .
