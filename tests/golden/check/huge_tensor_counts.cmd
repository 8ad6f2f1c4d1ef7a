tma check --dtype u8 --dim 2^32,2^32,2^32,2^32,2^32 --stride 16,32,48,64 --box 16,1,1,1,1
