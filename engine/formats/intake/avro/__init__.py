"""Avro containers of other programs, read with limits."""
