"""How large foreign files may be, and the errors of those that can't be read. `docs/operations.md` lists the sizes."""

from typing import Final

_MIB: Final = 2**20

METADATA_BYTES: Final = 256 * _MIB
"""Of a table's metadata as JSON, stored and decompressed. 100,000 snapshots take 60 to 110 MB."""

METADATA_VALUES: Final = 8_000_000
"""Of the values in a table's metadata: each takes about 100 bytes in memory. 100,000 snapshots have 3 million."""

MANIFEST_BYTES: Final = 512 * _MIB
"""Of one manifest or manifest list, stored and decompressed. One million files without statistics take 300 MB."""

LIVE_BYTES: Final = 2048 * _MIB
"""Of what is kept of all live files of a table. Two million files take 400 to 800 MB."""


class Malformed(ValueError):
    """A foreign file or answer is not what it should be; the message completes a sentence that names the file."""


def too_large(holds: str, how: str, limit: int) -> Malformed:
    """Return the error of something larger than `limit` bytes; `holds` begins the sentence and `how` ends it."""
    return Malformed(f"{holds} more than {limit // _MIB} MiB {how}, which is the limit".replace("  ", " "))
