printf '\xff\xfe id=\xc3\x28\n' | tma check --json - 2>/dev/null
