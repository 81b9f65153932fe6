"""Which groups have their rows compared, under `verification`, and what that came to.

Rows are compared by the task that wrote them, before anything is committed: a wrong group fails, its outputs are
removed, and no reader ever sees them. What a snapshot did with files that hold the right rows is then proven from its
metadata. `sample` takes the first group of a run and one in sixteen of the others, by a hash of run and group, so that
another attempt takes the same ones: what goes wrong with every file of a kind shows in the first, and what goes wrong
with few is found in as many runs as it has chances.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, Final

from engine.domain.runs.run import GroupOutline, Run

SAMPLED: Final = 16
"""One group in so many has its rows compared under `sample`."""


def has_rows_checked(mode: str, run_id: str, ordinal: int) -> bool:
    """Return whether a group's rows are compared under a value of `verification`."""
    if mode == "sample":
        return ordinal == 0 or hashlib.sha256(f"{run_id}/{ordinal}".encode()).digest()[0] % SAMPLED == 0
    return mode == "content"


def checked_rows(run: Run, committed: Iterable[GroupOutline]) -> Mapping[str, Any]:
    """Return how a run's rows were proven: groups and rows that were compared, and what that read and took."""
    found = [group.measured for group in committed if group.measured.get("row_digest")]
    return {
        "mode": run.policy.get("values", {}).get("verification", "metadata"),
        "groups": len(found),
        "rows": sum(each["rows_written"] for each in found),
        "bytes": sum(each["bytes_checked"] for each in found),
        "seconds": round(sum(each["seconds_checking"] for each in found), 3),
    }
