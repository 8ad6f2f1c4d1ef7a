set -e
tma encode --case 'enc id=x api=tiled dtype=9 rank=2 addr=0x7f0000000000 dim=4096,8192 stride=8192 box=64,128 es=1,1 il=0 sw=3 l2=2 oob=0'
tma encode --dtype 9 --dim 4096,8192 --box 64,128 --swizzle 128B --l2 128B
