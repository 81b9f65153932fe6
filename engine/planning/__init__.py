"""Planning: pure functions over columnar file digests that decide which files to rewrite. No I/O."""
