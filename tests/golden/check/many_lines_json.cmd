tma check - --json
