"""Size limits of foreign files, and the errors for unreadable ones. `docs/operations.md` lists the limits."""

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


class Malformed(ValueError):
    """A foreign file or response is invalid; the message completes a sentence that names the file."""


def too_large(holds: str, how: str, limit: int) -> Malformed:
    """Return the error for content larger than `limit` bytes; the message begins with `holds` and ends with `how`."""
    return Malformed(f"{holds} more than {limit // _MIB} MiB {how}, which is the limit".replace("  ", " "))
