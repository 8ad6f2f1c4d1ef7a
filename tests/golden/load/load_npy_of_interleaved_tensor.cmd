here=$PWD; cd "$SCRATCH"
python3 "$here/make_npy.py" t.npy "<f2" 2,3,4,8,8 ramp
tma load --dtype float16 --dim 8,4,3,2 --interleave 16B --stride 128,512,1536 --box 8,2,1,1 \
    --coord 0,1,2,1 --tensor t.npy --raw - | od -A d -t u2 -w16
