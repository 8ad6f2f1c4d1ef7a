tma decode bad_three_values.txt
