"""Routes, one file per resource: read the request, call one service, show the answer."""
