tma replace --field rank --value 1
