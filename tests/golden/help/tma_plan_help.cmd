tma plan --help | head -n 12
