here=$PWD; cd "$SCRATCH"
python3 "$here/make_npy.py" t.npy "|V2" 32,16 ramp
tma load --dtype bfloat16 --dim 16,32 --box 16,4 --swizzle 32B --tensor t.npy --out window.npy
head -c 128 window.npy | tr -d '\223\0' | cut -c 1-90
tail -c 128 window.npy | od -A d -t u2 -w32
