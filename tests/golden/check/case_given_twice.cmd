tma check --case 'enc' --case 'enc'
