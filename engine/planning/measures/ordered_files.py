"""Partitions whose files are all in the order that is asked for, told by the files' names.

The kernel's outputs carry the mark of their order in their names (`domain.runs.output_names`), so it is known of every
file without reading anything, for as long as the file lives. The files of one group follow one another in the order;
those of two groups may overlap, so a partition is in order when all its files came of one group. Of a curve also when
they came of one run and are too large for one group: to put its groups into one order is more than a second pass can
do.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.runs.output_names import OUTPUT_NAME
from engine.domain.tables.orders import RowOrdering
from engine.planning.measures.partitions import Flags, PartitionedFiles


def are_in_order(files: PartitionedFiles, order: RowOrdering, *, group_bytes: int) -> Flags:
    """Return, by partition, whether nothing is gained by putting all its files into this order again.

    `group_bytes`: how much is put into one order at a time.
    """
    if not len(files.paths):
        return np.ones(len(files.names), np.bool_)
    found = pc.extract_regex(files.paths, OUTPUT_NAME)
    is_so = pc.equal(pc.struct_field(found, "mark"), order.mark)
    of_one_group = _have_one_source(files, pc.if_else(is_so, pc.struct_field(found, "group"), None))
    if order.strategy == "sort":
        return of_one_group
    is_too_large: Flags = files.total(files.file_bytes) > group_bytes
    of_one_run = _have_one_source(files, pc.if_else(is_so, pc.struct_field(found, "run"), None))
    return of_one_group | (is_too_large & of_one_run)


def _have_one_source(files: PartitionedFiles, names: pa.ChunkedArray) -> Flags:
    """Return, by partition, whether all its files have the same name here, and one."""
    codes = pc.fill_null(pc.rank(names, tiebreaker="dense"), 0).to_numpy().astype(np.int64)
    codes = np.where(pc.is_valid(names).to_numpy(zero_copy_only=False), codes, -1)
    most, least = (np.full(len(files.names), start) for start in (-1, np.iinfo(np.int64).max))
    np.maximum.at(most, files.partition_of, codes)
    np.minimum.at(least, files.partition_of, codes)
    flags: Flags = (least == most) & (least >= 0)
    return flags
