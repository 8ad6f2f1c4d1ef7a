zcat ../../vectors/copy*.txt.gz ../../vectors/reduce.txt.gz | tma replay --check
