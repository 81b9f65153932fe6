"""All Redis access of Packhouse: run ids, budget shares and hints. Losing Redis data loses nothing of record."""
