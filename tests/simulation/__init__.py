"""The same coordinator and worker code under virtual time, with modelled tables, Spark and faults; seeds replay."""
