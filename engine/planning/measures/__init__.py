"""What is measured of a snapshot: columns by file and by partition."""
