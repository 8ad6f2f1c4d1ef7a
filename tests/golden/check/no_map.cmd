tma check --json
