zcat ../../vectors/encode_real_world.txt.gz > $SCRATCH/x.txt
tma encode $SCRATCH/x.txt 2>/dev/null > $SCRATCH/x.ours
grep -o 'desc=.*' $SCRATCH/x.txt | cut -c6- | cmp - $SCRATCH/x.ours && wc -l < $SCRATCH/x.ours
