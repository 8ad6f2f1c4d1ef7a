tma store --help | head -n 12
