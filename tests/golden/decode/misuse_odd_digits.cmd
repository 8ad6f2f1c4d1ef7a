tma decode bad_odd_digits.txt
