"""The HTTP edge: validates, authorises, calls a service, answers."""
