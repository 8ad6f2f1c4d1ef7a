cd "$SCRATCH"
head -c 100 /dev/zero > short.bin
tma store --dtype float32 --dim 64,32 --box 32,4 --shared-data short.bin
tma store --dtype float32 --dim 64,32 --box 32,4 --shared-data short.bin --window 512
