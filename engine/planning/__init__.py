"""Decides what is worth rewriting: pure functions over columnar file digests. No I/O."""
