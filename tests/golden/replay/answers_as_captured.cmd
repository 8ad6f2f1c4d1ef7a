tma replay lines_to_replay.txt | cmp - lines_to_replay.txt && wc -l < lines_to_replay.txt
