for rule in $(tma explain); do tma explain $rule > /dev/null || echo $rule; done
