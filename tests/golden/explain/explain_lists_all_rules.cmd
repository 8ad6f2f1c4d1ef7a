diff <(tma explain | sort) <(tma list rules --json | grep -o '"name": "[^"]*"' | cut -d\" -f4 | sort) && echo the same
