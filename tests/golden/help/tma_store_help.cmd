tma store --help | sed -n 1,12p
