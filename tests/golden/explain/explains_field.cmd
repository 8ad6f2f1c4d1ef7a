tma explain box_bytes 'lower[W]'
