tma load --map 00 --dtype uint8
