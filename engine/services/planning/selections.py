"""Selection of the table's files that a request names. Reads manifests: call in a thread."""

import pyarrow as pa

from engine.domain.runs.requests import RunRequest
from engine.formats.base import OpenTable
from engine.planning.plans.predicates import check_predicate, select_partitions


def check_partitions(opened: OpenTable, request: RunRequest) -> None:
    """Raise `InvalidInput` if the request's predicate does not fit the table's current state. Reads no manifests."""
    if request.partitions is not None:
        check_predicate(request.partitions, opened.partition_specs(), opened.column_names(), pointer="/partitions")


def selected_files(opened: OpenTable, digest: pa.Table, request: RunRequest) -> pa.Table:
    """Return the files of a digest that are in the request's partitions.

    Raises:
        InvalidInput: the predicate does not fit the table.
    """
    if request.partitions is None:
        return digest
    check_partitions(opened, request)
    return select_partitions(digest, request.partitions, opened.partition_specs())
