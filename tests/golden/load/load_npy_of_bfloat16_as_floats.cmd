here=$PWD; cd "$SCRATCH"
python3 "$here/make_npy.py" t.npy "<f4" 2,8 ramp
tma load --dtype bfloat16 --dim 8,2 --box 8,2 --tensor t.npy
