"""Routes, one room per subject and one file per resource: read the request, call one service, show the answer."""
