tma check nosuch.txt
