zcat ../../vectors/encode*.txt.gz ../../vectors/replace*.txt.gz | tma replay --check
