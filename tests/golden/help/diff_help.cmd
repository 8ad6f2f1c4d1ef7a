tma diff --help
