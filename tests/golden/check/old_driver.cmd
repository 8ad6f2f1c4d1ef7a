tma check --api wide --dtype f16 --dim 64,16,16,2 --lower 0 --upper 0 --channels 64 --pixels 64 --driver 12.4 --level refused
