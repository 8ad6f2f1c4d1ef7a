cd "$SCRATCH"
tma store --op add --dtype uint32 --dim 4,3 --box 4,2 --coord 0,1 --ramp --out t.npy
tail -c 48 t.npy | od -A d -t u4
