tma replay --arch sm_100a
