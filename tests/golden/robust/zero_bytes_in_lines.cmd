printf 'enc api=ti\0led\n\0\n' | tma replay
