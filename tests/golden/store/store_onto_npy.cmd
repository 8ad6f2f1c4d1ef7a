here=$PWD; cd "$SCRATCH"
python3 "$here/../load/make_npy.py" t.npy "<i4" 3,4 ramp
python3 "$here/../load/make_npy.py" window.npy "<i4" 32 "$(printf 'ffffffff%.0s' {1..32})"
tma store --dtype int32 --dim 4,3 --stride 64 --box 4,2 --coord 0,2 --tensor t.npy --shared-data window.npy --out after.npy
tail -c 48 after.npy | od -A d -t d4
