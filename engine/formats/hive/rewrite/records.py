"""The record of a rewrite in its partition's parameters, from which commits are found again and proven."""

import json
from dataclasses import asdict, dataclass
from typing import Final

PARAMETER: Final = "packhouse.compaction"
"""The name of the parameter; its value is JSON."""

LONGEST: Final = 4000
"""The most characters of a parameter's value in a Metastore."""

_MOST: Final = 2**63


@dataclass(frozen=True, slots=True)
class CompactionRecord:
    """The newest rewrite of a partition.

    `number`: the compaction id, which grows with each rewrite of the partition. `location`, `previous`: its folder, and
    the one it had before. `files`, `rows`, `file_bytes`: those of the replaced files. `at_ms`: the time, since 1970.
    """

    number: int
    run_id: str
    attempt: int
    group: int
    snapshot_id: int
    location: str
    previous: str
    files: int
    rows: int
    file_bytes: int
    at_ms: int

    def to_text(self) -> str:
        """Return the value of the parameter.

        Raises:
            ValueError: it is too long for the Metastore.
        """
        text = json.dumps(asdict(self), separators=(",", ":"), ensure_ascii=False)
        if len(text) > LONGEST:
            message = f"the record of a rewrite has {len(text)} characters, the Metastore's limit is {LONGEST}"
            raise ValueError(message)
        return text

    @staticmethod
    def of(text: str | None) -> "CompactionRecord | None":
        """Return the record in a parameter's value; None if there is none, or it was not written by Packhouse."""
        if text is None or len(text) > LONGEST:
            return None
        try:
            found = CompactionRecord(**json.loads(text))
        except (ValueError, TypeError, RecursionError):
            return None
        texts = (found.run_id, found.location, found.previous)
        counts = [value for value in asdict(found).values() if value not in texts]
        is_whole = all(type(each) is str for each in texts)
        return found if is_whole and all(type(each) is int and 0 <= each < _MOST for each in counts) else None
