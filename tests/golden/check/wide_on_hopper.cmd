tma check --api wide --dtype f16 --dim 64,16,16,2 --lower -1 --upper 1 --channels 64 --pixels 64 --wide-mode W128
