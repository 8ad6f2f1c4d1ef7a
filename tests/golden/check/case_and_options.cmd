tma check --dtype f16 --case 'enc api=tiled'
