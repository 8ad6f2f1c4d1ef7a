tma decode --color=always map.bin | head -20
