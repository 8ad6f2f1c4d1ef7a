here=$PWD; cd "$SCRATCH"
python3 "$here/make_npy.py" t.npy "<f4" 2,4 ramp 2
tma load --dtype float32 --dim 4,2 --box 4,2 --tensor t.npy --raw - | od -A d -t x4 -N 32
