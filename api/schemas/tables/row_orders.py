"""The order of a table's rows on the wire: what it is, which files are not in it, and how far files overlap in it."""

from pydantic import Field

from api.schemas.common import Answer, Partition, Text
from api.schemas.runs.figures import OrderField


class PartitionOverlap(Answer):
    """Overlap of the files of one partition, by their bounds; of several columns the largest."""

    spec_id: int
    partition: Partition
    files: int
    overlap_depth: int = Field(description="The most files that may hold one value.")
    files_for_a_lookup: float = Field(
        description="Number of files that may contain a value, on average over all bounds."
    )
    pruned_share: float = Field(description="Share of the files that a lookup need not look into.")
    unordered_share: float = Field(description="Bytes of files that are not in the order, as a share of all bytes.")


class OrderHealth(Answer):
    """The order that the policy puts rows into, the files that are not in it, and how far files overlap in it."""

    strategy: Text
    columns: list[OrderField]
    unordered_file_count: int = Field(
        description="Files that are not in the order, or not known to be: neither a rewrite of Packhouse nor the "
        "table's metadata says that they are."
    )
    unordered_share: float = Field(description="Their bytes as a share of all bytes of the table.")
    partitions: list[PartitionOverlap] = Field(description="At most 20, the deepest first.")
    partitions_total: int
