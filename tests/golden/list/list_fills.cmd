tma list fills
