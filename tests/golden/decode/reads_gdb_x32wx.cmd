tma decode --json map_gdb_x32wx.txt | grep -o '"map": "[0-9a-f]*"'
