cd "$SCRATCH"
head -c 512 /dev/zero | tr '\0' '\7' > before.bin
tma load --dtype uint8 --dim 64,32 --box 16,4 --swizzle 128B --shared-data before.bin --raw after.bin
od -A d -t u1 -w16 after.bin
