tma check --help
