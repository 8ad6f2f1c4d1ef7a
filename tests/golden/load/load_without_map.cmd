tma load
