cd "$SCRATCH"
tma store --op min --dtype float16 --dim 8,2 --box 8,2 --ramp --raw t.raw > /dev/null
od -A d -t x2 t.raw
