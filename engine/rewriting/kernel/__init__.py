"""The code that runs inside Spark tasks: pyarrow, numpy and the standard library only; shipped to executors as a zip."""
