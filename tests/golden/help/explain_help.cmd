tma explain --help
