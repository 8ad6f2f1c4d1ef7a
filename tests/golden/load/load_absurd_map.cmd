tma load --map "$(printf 'ff%.0s' {1..128})"
