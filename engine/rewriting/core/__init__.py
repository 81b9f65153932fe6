"""Compaction by Paimon's own Java library, its core, in a child JVM of a Spark task's Python process.

Shipped to Spark in the zip with the kernel: the standard library, py4j and the kernel only.
"""
