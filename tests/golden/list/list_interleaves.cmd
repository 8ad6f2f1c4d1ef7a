tma list interleaves
