tma list wide-modes
