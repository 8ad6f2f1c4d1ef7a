here=$PWD; cd "$SCRATCH"
python3 "$here/../load/make_npy.py" window.npy "<f2" 256 ramp
tma store --dtype float32 --dim 64,32 --box 32,4 --shared-data window.npy
