tma explain inner-span
