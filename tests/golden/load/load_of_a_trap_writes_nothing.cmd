cd "$SCRATCH"
tma load --dtype bfloat16 --dim 64,32 --box 64,8 --coord 1,8 --out o.npy --raw o.raw 2>/dev/null
echo $?; ls
