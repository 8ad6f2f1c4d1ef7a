tma decode --color=always map.bin | sed -n 1,20p
