"""Compaction by Paimon's own Java library, its core, in a child JVM of a Spark task's Python process.

Shipped to Spark with the kernel: imports the standard library, py4j, pyarrow, numpy and the kernel only.
"""
