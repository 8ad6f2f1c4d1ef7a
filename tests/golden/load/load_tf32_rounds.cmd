here=$PWD; cd "$SCRATCH"
python3 "$here/make_npy.py" t.npy "<f4" 1,4 01102f3f0030c03f0010c03f0100807f
tma load --dtype tfloat32 --dim 4,1 --box 4,1 --tensor t.npy --raw - | od -A d -t x4 -N 16
