"""All Spark Connect of Packhouse. Only this package imports pyspark."""
