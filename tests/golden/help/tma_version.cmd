tma --version
