"""The data files of partitions: listed, measured for planning, and their footers read. Nothing here writes."""
