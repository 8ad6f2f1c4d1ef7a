tma --help
