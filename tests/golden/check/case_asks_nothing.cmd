tma check --case '# a comment'
