head -c 4096 ../decode/map.bin | tma replay 2>&1 | wc -l | sed 's/[1-9][0-9]*/some/'
