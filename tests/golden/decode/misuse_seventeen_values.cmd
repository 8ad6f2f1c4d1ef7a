tma decode bad_seventeen_values.txt
