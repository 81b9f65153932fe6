"""The Metastore: a catalog's properties, its calls, and what their errors mean. Nothing here opens a table's files."""
