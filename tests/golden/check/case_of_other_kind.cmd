tma check --case 'rep api=tiled'
