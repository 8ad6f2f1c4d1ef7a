tma replay
