"""Decode small manifests together: about ten times as fast as one by one, whose cost is the calls, not the entries.

Manifests whose headers have the same schema become one Avro container with a block for each; the columns are then cut
at the blocks' ends. Streams leave thousands of manifests with a few entries each.
"""

from collections.abc import Sequence

import pyarrow as pa

from engine.formats.iceberg.manifests.avro_blocks import joined, records_in
from engine.formats.iceberg.manifests.decoding import read_data_entries
from engine.formats.iceberg.metadata.partitions import PartitionCodec


def read_together(bodies: Sequence[bytes], *, codec: PartitionCodec) -> list[pa.Table] | None:
    """Return the entries of several data manifests as `decoding.read_entries` does for each.

    Args:
        bodies: contents converted by `avro_blocks.readable`, with equal schemas.
        codec: partition codec of their spec.

    Returns:
        One table for each, in order; None if they can't be decoded as a whole.
    """
    counts = [records_in(body) for body in bodies]
    together = read_data_entries(joined(bodies), codec=codec)
    if together is None or together.num_rows != sum(counts):
        return None
    found, start = [], 0
    for count in counts:
        found.append(_with_own_partitions(together.slice(start, count)))
        start += count
    return found


def _with_own_partitions(entries: pa.Table) -> pa.Table:
    """Return entries whose dictionary of partitions has only theirs, as if they were decoded alone."""
    index = entries.schema.get_field_index("partition")
    own = entries["partition"].cast(pa.string()).combine_chunks().dictionary_encode()
    return entries.set_column(index, entries.schema.field(index), own)
