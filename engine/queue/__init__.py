"""All Redis of Packhouse: carries ids, shares and hints. Losing it loses nothing."""
