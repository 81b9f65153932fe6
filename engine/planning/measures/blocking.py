"""The longest time for which files of the newest snapshot can have kept rows that were deleted or replaced.

Expiry of snapshots frees no byte of such rows before a rewrite. What keeps them is one of these:

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
from engine.planning.measures.partitions import Flags, PartitionedFiles

Floats = npt.NDArray[np.float64]


def blocking_age(
    files: PartitionedFiles, figures: TableMeasures, ages: Floats, delete_ages: Floats, oldest: float
) -> Floats:
    """Return seconds by partition, NaN where nothing keeps such rows.

    Args:
        files: the files by partition.
        figures: figures of the table as a whole.
        ages: least possible seconds since the commit of each file.
        delete_ages: seconds since the commit of each partition's oldest delete file; NaN if there is none or it is not
            known.
        oldest: seconds since the oldest known commit.
    """
    found = delete_ages.copy()
    unknown = (files.delete_files > 0) & np.isnan(delete_ages)[files.partition_of]
    np.fmax.at(found, files.partition_of[unknown], ages[unknown])
    if figures.last_level is not None:
        deltas = files.level < figures.last_level
        since = np.where(files.level > 0, _ages_of_bases(files, files.level == figures.last_level, ages, oldest), ages)
        np.fmax.at(found, files.partition_of[deltas], since[deltas])
    return found


def _ages_of_bases(files: PartitionedFiles, is_base: Flags, ages: Floats, oldest: float) -> Floats:
    """Return for each file the age of the newest base in its bucket, `oldest` where there is none."""
    bucket_of, partitions = files.number_buckets()
    newest = np.full(len(partitions), oldest)
    np.fmin.at(newest, bucket_of[is_base], ages[is_base])
    return newest[bucket_of]
