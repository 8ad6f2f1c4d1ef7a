tma plan --help | sed -n 1,12p
