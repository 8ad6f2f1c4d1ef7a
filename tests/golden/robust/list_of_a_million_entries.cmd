{ printf 'enc dim='; yes 1, | head -1000000 | tr -d '\n'; } | tma replay
