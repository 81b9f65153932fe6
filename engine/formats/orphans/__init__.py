"""What the searches of all formats for orphans share: listings of a store, stored looks, their results, the deletion.

An orphan is a file below a table's location that nothing refers to. The formats decide which files are referred to.
Never reads a table's metadata.
"""
