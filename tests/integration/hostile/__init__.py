"""Each client of ours against servers that answer to harm it."""
