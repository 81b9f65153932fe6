"""Read untrusted files and catalog responses: bounded in size and validated before use.

Every foreign metadata file, manifest list, manifest and catalog response is read through this package. Called by
`catalogs` (responses and metadata files) and `views` (everything else). It never writes.
"""
