"""Parts of the HTTP edge that need no server."""
