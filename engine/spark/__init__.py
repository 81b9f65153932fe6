"""All use of Spark Connect in Packhouse. Only this package imports pyspark."""
