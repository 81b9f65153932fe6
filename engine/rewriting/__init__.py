"""The rewrite kernel, which runs inside Spark tasks and reads and writes data files."""
