"""Measures of a snapshot: columns by file and by partition."""
