# no driver makes it: a box of 256 x 256 x 256 x 256 x 256
map=$(tma encode --force --dtype uint8 --dim 256,256,256,256,256 --box 256,256,256,256,256 2>/dev/null)
tma plan --map "$map"
