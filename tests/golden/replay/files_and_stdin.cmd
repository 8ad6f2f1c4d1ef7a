tma replay --check lines_to_replay.txt - lines_to_replay.txt
