tma check kernels.txt kernels.txt --level refused | grep -v "^ "
