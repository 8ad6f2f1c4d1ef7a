# what decode spells, encode takes back: every captured kernel, and maps of Blackwell
zcat ../../vectors/encode_real_world.txt.gz | grep -o 'desc=.*' | cut -c6- | sort -u > $SCRATCH/x.maps
while read -r map; do tma decode $map | grep '^tma encode' | bash; done < $SCRATCH/x.maps | cmp - $SCRATCH/x.maps && wc -l < $SCRATCH/x.maps
