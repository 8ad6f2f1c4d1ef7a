cd "$SCRATCH"
tma store --dtype uint16 --dim 5,2 --stride 32 --box 8,2 --out t.npy --raw t.raw
tail -c 20 t.npy | od -A d -t u2; od -A d -t u2 t.raw
