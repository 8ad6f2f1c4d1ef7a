tma encode --help
