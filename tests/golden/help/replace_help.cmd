tma replace --help
