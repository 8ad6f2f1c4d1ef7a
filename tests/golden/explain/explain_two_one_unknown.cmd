tma explain dim-zero no_such_rule_at_all 2>/dev/null
