"""How the tables of a week are written: commits, failed writes and delete files."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MIB = 2**20
DAY = 86_400.0
MERGED_AT = 100
"""Writers of Spark merge manifests when there are this many small ones (`commit.manifest.min-count-to-merge`)."""
SMALL_FILES = 20
"""Number of small files at which a table is due for a rewrite."""
FAILED_SHARE = 0.02
"""Share of writes that fail, or lose a race, after their files were written."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """How a table is written: seconds between commits, files per commit, bytes per file.

    `burst`: commits come in bursts of this number, ten seconds apart, in all tables at about the same time. `merges`:
    the writer merges manifests. `deletes`: position-delete files per commit.
    """

    name: str
    share: float
    seconds: float
    files: int
    file_bytes: int
    burst: int = 1
    merges: bool = False
    deletes: int = 0


PATTERNS = (
    Pattern("stream, 30 s", 0.05, 30, 4, 2 * MIB),
    Pattern("stream, 5 min", 0.15, 300, 8, 4 * MIB),
    Pattern("stream, 5 min, merging", 0.10, 300, 8, 4 * MIB, merges=True),
    Pattern("updates, 10 min", 0.10, 600, 4, 8 * MIB, deletes=2),
    Pattern("hourly", 0.25, 3600, 20, 16 * MIB),
    Pattern("daily", 0.15, DAY, 50, 64 * MIB),
    Pattern("bursts", 0.10, 0.5 * DAY, 10, 4 * MIB, burst=200),
    Pattern("idle", 0.10, 30 * DAY, 10, 64 * MIB),
)


def commits_of(pattern: Pattern, since: float, until: float, random: np.random.Generator) -> NDArray[np.float64]:
    """Return the instants of a table's commits, in order. Bursts of all tables begin within ten minutes."""
    count = int((until - since) / pattern.seconds) + 1
    phase = random.random() * (600.0 if pattern.burst > 1 else pattern.seconds)
    spread = 0.0 if pattern.burst > 1 else 0.2
    starts = since + phase + pattern.seconds * (np.arange(count) + random.uniform(-spread, spread, count))
    every = (starts[:, None] + 10.0 * np.arange(pattern.burst)[None, :]).ravel()
    return np.sort(every[(every > since) & (every < until)])


def failures_of(commits: NDArray[np.float64], random: np.random.Generator) -> NDArray[np.float64]:
    """Return the instants of the writes that fail, in order: five seconds after some of the commits."""
    return commits[random.random(len(commits)) < FAILED_SHARE] + 5.0
