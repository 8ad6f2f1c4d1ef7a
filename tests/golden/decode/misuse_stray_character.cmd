tma decode bad_stray_character.txt
