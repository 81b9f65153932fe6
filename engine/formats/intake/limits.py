"""Size limits of foreign files, and the errors for unreadable ones. `docs/reference/size-limits.md` lists them."""

from typing import Final

_MIB: Final = 2**20

METADATA_BYTES: Final = 256 * _MIB
"""Limit of a table's metadata JSON, both stored and decompressed. 100,000 snapshots take 60 to 110 MB."""

METADATA_VALUES: Final = 8_000_000
"""Limit of the values in a table's metadata, about 100 bytes of memory each. 100,000 snapshots have 3 million."""

MANIFEST_BYTES: Final = 512 * _MIB
"""Limit of a manifest or manifest list, both stored and decompressed. A million files without statistics: 300 MB."""

LIVE_BYTES: Final = 2048 * _MIB
"""Memory limit for the live files of a table. Two million files take 400 to 800 MB."""


SCHEMA_FIELDS: Final = 20_000
"""Limit of the fields of one schema, those in structs, lists and maps included."""

SCHEMA_DEPTH: Final = 64
"""Limit of the levels of one schema; a top-level column is at level 1. Arrow reads Parquet of up to 100 levels."""


SCHEMA_PATHS: Final = 64 * _MIB
"""Limit of the characters in the dotted names of a schema's fields: each has the names of the structs around it."""


class Malformed(ValueError):
    """A foreign file or response is invalid; the message completes a sentence that names the file."""


NEWER_WRITER: Final = "a newer program wrote it; upgrade Packhouse"
"""Remedy, a clause, for a file of a version that is not known."""


class Unsupported(Malformed):
    """A foreign file is of a kind that is not read, and not damaged; the message has the remedy."""


def check_schema(what: str, *, fields: int, depth: int, paths: int = 0) -> None:
    """Check the size of a schema before anything is computed from it.

    Args:
        what: names the schema; the message begins with it.
        fields: the number of its fields, those in structs, lists and maps included.
        depth: the number of its levels.
        paths: the characters in the dotted names of its fields.

    Raises:
        Malformed: a limit is exceeded.
    """
    if fields > SCHEMA_FIELDS:
        inner = "those in structs, lists and maps included"
        raise Malformed(f"{what} has {fields:,} fields, {inner}; {SCHEMA_FIELDS:,} is the limit: drop columns")
    if depth > SCHEMA_DEPTH:
        raise Malformed(f"{what} is nested {depth} levels deep; {SCHEMA_DEPTH} is the limit: flatten its structs")
    if paths > SCHEMA_PATHS:
        raise Malformed(
            f"{what} has dotted names of {paths:,} characters; {SCHEMA_PATHS:,} is the limit: shorten names"
        )


def too_large(holds: str, how: str, limit: int) -> Malformed:
    """Return the error for content larger than `limit` bytes; the message begins with `holds` and ends with `how`."""
    size = f"{limit // _MIB} MiB {how}".rstrip()
    return Malformed(f"{holds} more than {size}, which is the limit")
