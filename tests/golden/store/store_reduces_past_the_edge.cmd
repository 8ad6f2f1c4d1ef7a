cd "$SCRATCH"
tma store --op add --dtype uint32 --dim 3,2 --stride 32 --box 4,2 --raw t.raw > /dev/null
od -A d -t u4 t.raw
