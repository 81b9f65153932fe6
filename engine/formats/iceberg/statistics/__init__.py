"""Bounds and counts of columns: read from footers and manifests, proven, written for outputs."""
