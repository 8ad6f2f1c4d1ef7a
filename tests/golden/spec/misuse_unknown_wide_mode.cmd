tma check --api wide --dtype f16 --dim 8,8,8 --wide-mode W64
