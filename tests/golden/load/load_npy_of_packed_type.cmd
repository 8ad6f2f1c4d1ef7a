here=$PWD; cd "$SCRATCH"
python3 "$here/make_npy.py" t.npy "|u1" 4,64 ramp
tma load --arch sm_100a --dtype 16U4_ALIGN8B --dim 128,4 --box 32,1 --coord 32,1 --tensor t.npy \
    --raw - | od -A d -t x1 -N 16
