"""The data files of partitions, found by listing their folders, and what is planned from them. Nothing is written."""
