tma plan --map "$(printf 'ff%.0s' {1..128})" --coord 0,0,0,0,0
