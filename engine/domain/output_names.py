"""Names of the files that rewrites write: `<run id>-<group>-<attempt>-<mark>-<number>.parquet`.

A name is never used twice, so a file is known by it for as long as it lives, whatever spelling of its path a snapshot
holds: which run, group and attempt wrote it, and, if its rows were put into an order, which (`RowOrdering.mark`).
"""

import re
from typing import Final

OUTPUT_NAME: Final = (
    r"(?:^|/)(?P<group>(?P<run>run_[0-9a-z]+)-[0-9]{5,})-(?P<attempt>[0-9]+)-(?:(?P<mark>[^-/]+)-)?[0-9]+\.parquet$"
)
"""A regular expression of paths that end in such a name, for Arrow and for Python."""


def output_prefix(run_id: str, group: int, attempt: int, mark: str = "") -> str:
    """Return what the names of a group's outputs begin with; the kernel adds numbers."""
    return f"{run_id}-{group:05d}-{attempt}-" + (f"{mark}-" if mark else "")


def in_paths_of(run_id: str) -> str:
    """Return what the paths of a run's outputs contain, and no others."""
    return f"/{run_id}-"


def attempt_of(name: str, run_id: str) -> int | None:
    """Return the number of the attempt that wrote a file, None if its name is not one of the run's."""
    found = re.search(OUTPUT_NAME, name)
    return int(found["attempt"]) if found and found["run"] == run_id else None
