{ cat map.bin; printf '\n'; } | tma decode -
