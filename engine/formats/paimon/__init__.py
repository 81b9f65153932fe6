"""Apache Paimon tables, read from their files: schemas, snapshots and manifests; without a JVM in this process.

Imports nothing: Spark tasks import this package together with its `task`.
"""
