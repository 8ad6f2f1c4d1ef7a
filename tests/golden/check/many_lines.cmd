tma check -
