tma check --dtype f32 --dim 1024,1024,64 --box 32,256,16
