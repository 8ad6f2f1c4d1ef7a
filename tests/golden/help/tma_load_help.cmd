tma load --help
