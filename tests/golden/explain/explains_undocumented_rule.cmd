tma explain box-bytes
