tma replace 00112233445566778899aabbccddeeff --field rank --value 1
