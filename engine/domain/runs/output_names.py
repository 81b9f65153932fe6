"""Names of the files that rewrites write: `<run id>-<group>-<attempt>-<mark>-<number>.<format>`.

A library of a table format gives names of its own, after a prefix that begins the same:
`<run id>-<group>-<attempt>-<send>-<uuid>-<number>.<format>`.

A name is never used twice, so it identifies a file for as long as the file exists, in whatever spelling a snapshot has
its path: the run, group and attempt that wrote it, and the order of its rows if it has one (`RowOrdering.mark`).
"""

import re
from typing import Final

_BY_LIBRARY: Final = r"[0-9]+-(?:changelog-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-[0-9]+\.(?:parquet|orc|avro)"

OUTPUT_NAME: Final = (
    r"(?:^|/)(?P<group>(?P<run>run_[0-9a-z]+)-[0-9]{5,})-(?P<attempt>[0-9]+)-"
    rf"(?:(?:(?P<mark>[^-/]+)-)?[0-9]+\.[a-z]+|{_BY_LIBRARY})$"
)
"""A regular expression of paths that end in such a name, for Arrow and for Python."""


def ordered_name(mark: str) -> str:
    """Return a regular expression, for Arrow, of paths that end in the name of an output with this mark.

    It has no groups: Arrow matches it ten times as fast as `OUTPUT_NAME`.
    """
    return rf"(?:^|/)run_[0-9a-z]+-[0-9]{{5,}}-[0-9]+-{re.escape(mark)}-[0-9]+\.parquet$"


def output_prefix(run_id: str, group: int, attempt: int, mark: str = "") -> str:
    """Return the name prefix of a group's outputs; the kernel appends numbers."""
    return f"{run_id}-{group:05d}-{attempt}-" + (f"{mark}-" if mark else "")


def in_paths_of(run_id: str) -> str:
    """Return the text that only the paths of a run's outputs contain."""
    return f"/{run_id}-"


def attempt_of(name: str, run_id: str) -> int | None:
    """Return the number of the attempt that wrote a file, None if the file's name does not belong to the run."""
    found = re.search(OUTPUT_NAME, name)
    return int(found["attempt"]) if found and found["run"] == run_id else None
