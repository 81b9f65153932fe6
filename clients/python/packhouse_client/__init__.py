"""Python SDK of Packhouse."""
