tma list rules --json | grep -o '{"name": "[a-z]*-zero"[^}]*}'
