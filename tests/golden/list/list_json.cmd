tma list swizzles --json
