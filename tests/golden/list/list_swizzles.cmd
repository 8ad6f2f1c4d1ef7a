tma list swizzles
