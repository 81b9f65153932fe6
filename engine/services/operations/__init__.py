"""One package for each operation of runs, and `tasks`, which operations share."""
