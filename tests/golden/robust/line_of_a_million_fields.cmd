{ printf enc; for i in {1..100000}; do printf ' k%d=1' $i; done; } | tma replay
