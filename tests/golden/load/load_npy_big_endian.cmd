here=$PWD; cd "$SCRATCH"
python3 "$here/make_npy.py" t.npy ">f4" 2,4 ramp
tma load --dtype float32 --dim 4,2 --box 4,2 --tensor t.npy
