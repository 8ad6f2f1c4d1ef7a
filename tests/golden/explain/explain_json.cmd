tma explain --json inner-span box_bytes
