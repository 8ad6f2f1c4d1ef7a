tma explain inner-spam 2>&1 | cut -c1-100
