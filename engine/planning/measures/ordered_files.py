"""Detection of files, and of partitions, whose rows are already in the requested order; no file is opened.

A file is in an order if its name has the order's mark, which the kernel gives to the outputs that it orders
(`domain.runs.output_names`), or if the table's metadata records the order for it. Both last as long as the file, also
through deletes and changes of other columns. Without such evidence a file is unordered. Outputs of a rewrite for an
order always have its mark, so no file is rewritten for the same order twice, even if the table can't record the order.

The files of one group follow one another in the order; those of two groups may overlap, so a partition is in order when
all its files are outputs of one group. For a curve, also when they are outputs of one run and too large for one group:
a second pass can't put several groups into one order.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.runs.output_names import OUTPUT_NAME, ordered_name
from engine.domain.tables.orders import RowOrdering
from engine.planning.measures.partitions import Flags, PartitionedFiles


def are_unordered(files: PartitionedFiles, order: RowOrdering | None) -> Flags:
    """Return flags of files without evidence that their rows are in `order`; None: no file is flagged."""
    if order is None:
        return np.zeros(len(files.paths), dtype=np.bool_)
    recorded = pc.fill_null(pc.equal(files.recorded_order.cast(pa.string()), order.mark), False)
    named = pc.match_substring_regex(files.paths, ordered_name(order.mark))
    flags: Flags = ~(recorded.to_numpy() | named.to_numpy())
    return flags


def are_in_order(files: PartitionedFiles, order: RowOrdering, *, group_bytes: int) -> Flags:
    """Return, by partition, whether ordering all its files again would gain nothing.

    `group_bytes`: the most bytes that are put into one order at a time.
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
    """Return, by partition, whether all its files have the same, non-null name in `names`."""
    codes = pc.fill_null(pc.rank(names, tiebreaker="dense"), 0).to_numpy().astype(np.int64)
    codes = np.where(pc.is_valid(names).to_numpy(zero_copy_only=False), codes, -1)
    most, least = (np.full(len(files.names), start) for start in (-1, np.iinfo(np.int64).max))
    np.maximum.at(most, files.partition_of, codes)
    np.minimum.at(least, files.partition_of, codes)
    flags: Flags = (least == most) & (least >= 0)
    return flags
