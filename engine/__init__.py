"""The compaction engine: everything behind the HTTP edge. Imports point one way (see `docs/contributing/adr`)."""
