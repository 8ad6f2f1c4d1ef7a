tma list atomicities
