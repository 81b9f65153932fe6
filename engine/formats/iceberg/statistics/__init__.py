"""Column bounds and counts: read from footers and manifests, verified, and written for outputs."""
