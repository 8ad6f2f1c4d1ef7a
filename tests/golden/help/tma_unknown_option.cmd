tma --jsn list
