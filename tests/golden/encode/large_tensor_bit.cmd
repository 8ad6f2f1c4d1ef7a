for arch in sm_90 sm_100; do tma encode --dtype u8 --dim 1024,128 --box 16,8 --arch $arch; done
