"""The HTTP edge: validates, authorises, writes the record through services, answers. No decisions here."""
