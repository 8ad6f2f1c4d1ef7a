tma encode kernels_to_encode.txt --json
