tma replay nosuch.txt lines_to_replay.txt > /dev/null
