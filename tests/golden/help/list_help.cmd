tma list --help
