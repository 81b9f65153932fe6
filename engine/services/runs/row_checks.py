"""Selection of the groups whose rows are compared under `verification`, and the results of the comparison.

Rows are compared by the task that wrote them, before the commit: a wrong group fails, its outputs are removed, and no
reader ever sees them. The use of verified files in a snapshot is then proven from its metadata. `sample` selects the
first group of a run and one in sixteen of the others, by a hash of run and group, so that another attempt selects the
same ones: an error in every file of a kind is found with the first group, a rare one with a chance of 1/16 per group.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from engine.domain.runs.run import GroupOutline, Run

SAMPLED: Final = 16
"""One group in this number has its rows compared under `sample`."""


MOST_LIMITS: Final = 20
"""Most texts of `limits`, those of the most groups."""


def has_rows_checked(mode: str, run_id: str, ordinal: int) -> bool:
    """Return whether a group's rows are compared under a value of `verification`."""
    if mode == "sample":
        return ordinal == 0 or hashlib.sha256(f"{run_id}/{ordinal}".encode()).digest()[0] % SAMPLED == 0
    return mode == "content"


def checked_rows(run: Run, committed: Iterable[GroupOutline]) -> Mapping[str, Any]:
    """Return how a run's rows were verified: groups and rows compared, bytes read, and time.

    `limits`: why rows were compared in part or not at all, with the number of groups.
    """
    measured = [group.measured for group in committed]
    found = [each for each in measured if each.get("row_digest")]
    return {
        "mode": run.setting("verification", "metadata"),
        "groups": len(found),
        "rows": sum(each["rows_written"] for each in found),
        "bytes": sum(each["bytes_checked"] for each in found),
        "seconds": round(sum(each["seconds_checking"] for each in found), 3),
        "limits": counted_limits("check_limit", measured),
    }


def counted_limits(name: str, measured: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the texts that groups have in a field of their results, with the number of groups; the most frequent."""
    return dict(Counter(each[name] for each in measured if each.get(name)).most_common(MOST_LIMITS))
