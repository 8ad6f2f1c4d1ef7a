tma decode --help
