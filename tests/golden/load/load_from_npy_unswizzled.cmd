here=$PWD; cd "$SCRATCH"
python3 "$here/make_npy.py" t.npy "<u2" 32,12 ramp
tma load --dtype uint16 --dim 12,32 --stride 48 --box 8,4 --swizzle 128B --coord 8,1 --tensor t.npy \
    --out tile.npy --unswizzle
tail -c 64 tile.npy | od -A d -t u2 -w16
