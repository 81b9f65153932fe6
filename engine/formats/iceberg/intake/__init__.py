"""Reading files and answers that others wrote: bounded in size and checked before anything goes by them.

Every byte of a foreign metadata file, manifest list, manifest and catalog answer enters through this package. Entered
by `catalogs` (answers and metadata files) and `views` (everything else). It never writes.
"""
