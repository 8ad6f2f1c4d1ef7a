tma encode --dtype CU_TENSOR_MAP_DATA_TYPE_FLOAT16 --dim 64 --box 64 --swizzle CU_TENSOR_MAP_SWIZZLE_128B --l2 cu_tensor_map_l2_promotion_l2_128b | tma decode - | grep '^tma encode'
