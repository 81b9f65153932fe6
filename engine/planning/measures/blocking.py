"""How long replaced or deleted rows of a partition are stored at most, because files of the head still have them.

Expiring snapshots frees no byte of such rows before a rewrite. What keeps them is one of these:

- a delete file, since it was committed;
- a file below the last level of a key table's bucket: the rows that its keys replace are at a deeper level. A file of
  level 0 counts since its commit. One of another level was written by a compaction from files that are gone, but not
  before the newest file of the last level of its bucket;
- deleted positions of unknown age: they were not deleted before their data file was added.

A rewrite for what is older than a time thus removes all that is, and happens once in that time at most.
"""

import numpy as np
import numpy.typing as npt

from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.partitions import Flags, Ints, PartitionedFiles

_NEVER = np.iinfo(np.int64).max


def blocking_age(files: PartitionedFiles, figures: TableMeasures, added: Ints, now_ms: int) -> npt.NDArray[np.float64]:
    """Return seconds by partition, NaN where nothing keeps such rows. `added`: the latest commit time of each file."""
    since = np.full(len(files.names), _NEVER, np.int64)
    keys = list(zip(files.spec_ids.tolist(), files.names, strict=True))
    for at, key in enumerate(keys if figures.deletes_since_ms else ()):
        since[at] = figures.deletes_since_ms.get(key, _NEVER)
    unknown = (files.delete_files > 0) & (since == _NEVER)[files.partition_of]
    np.minimum.at(since, files.partition_of[unknown], added[unknown])
    if figures.last_level is not None:
        deltas = files.level < figures.last_level
        at_ms = np.where(files.level > 0, _bases(files, figures, added, now_ms), added)
        np.minimum.at(since, files.partition_of[deltas], at_ms[deltas])
    return np.where(since == _NEVER, np.nan, np.maximum(0, now_ms - since) / 1000)


def _bases(files: PartitionedFiles, figures: TableMeasures, added: Ints, now_ms: int) -> Ints:
    """Return for each file when the newest file of the last level of its bucket was added."""
    bucket_of, partitions = files.number_buckets()
    is_base: Flags = files.level == figures.last_level
    newest = np.full(len(partitions), -1, np.int64)
    np.maximum.at(newest, bucket_of[is_base], added[is_base])
    oldest_known = now_ms if figures.known_since_ms is None else figures.known_since_ms
    found: Ints = np.where(newest < 0, oldest_known, newest)[bucket_of]
    return found
