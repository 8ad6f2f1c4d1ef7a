tma replay --help
