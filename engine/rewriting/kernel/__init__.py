"""The code that runs inside Spark tasks, shipped as a zip: pyarrow, numpy and the standard library only."""
