"""The summary of a `replace` snapshot: its run, its changes, and the table's updated totals."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pyiceberg.manifest import DataFile, FileFormat
from pyiceberg.table.snapshots import Operation, SnapshotSummaryCollector, Summary, update_snapshot_summaries

from engine.formats.base import CommitRequest, WrittenGroup
from engine.formats.iceberg.metadata.history import (
    ATTEMPT,
    COMPACTION_ID,
    GROUPS,
    RUN_ID,
    count_of,
    is_count,
    next_compaction_id,
    summary_of,
)
from engine.formats.iceberg.metadata.views import TableView

_PARTITION_LIMIT: Final = "write.summary.partition-limit"


def replace_summary(
    view: TableView,
    request: CommitRequest,
    groups: Sequence[WrittenGroup],
    *,
    removed: Iterable[DataFile],
    added: Iterable[DataFile],
) -> Summary:
    """Return the summary for replacing `removed` by `added` on the view's head.

    Counters follow the conventions of Java and PyIceberg; a total that is missing in the previous snapshot is omitted.
    """
    removed, added = list(removed), list(added)
    limit = view.metadata.properties.get(_PARTITION_LIMIT, "0")
    collector = SnapshotSummaryCollector(partition_summary_limit=count_of(limit))
    for file in removed:
        codec = view.codecs[file.spec_id]
        collector.remove_file(file, schema=codec.schema, partition_spec=codec.spec)
    for file in added:
        codec = view.codecs[file.spec_id]
        collector.add_file(file, schema=codec.schema, partition_spec=codec.spec)
    ours = {
        RUN_ID: request.run_id,
        ATTEMPT: str(request.attempt),
        GROUPS: ",".join(str(group.ordinal) for group in groups),
        COMPACTION_ID: str(next_compaction_id(view.metadata)),
    }
    counted = update_snapshot_summaries(
        # `replace` is refused there, although its totals are those of an overwrite
        summary=Summary(
            Operation.OVERWRITE, **with_vector_counts(collector.build(), removed=removed, added=added), **ours
        ),
        previous_summary=usable_totals(summary_of(view.head)) if view.head else None,
    )
    return Summary(Operation.REPLACE, **counted.additional_properties)


def with_vector_counts(
    counts: Mapping[str, str], *, removed: Iterable[DataFile], added: Iterable[DataFile]
) -> dict[str, str]:
    """Return the counts of a summary with deletion vectors counted as Java does, apart from position-delete files."""
    changed = dict(counts)
    for word, files in (("removed", removed), ("added", added)):
        vectors = sum(each.file_format == FileFormat.PUFFIN for each in files)
        if vectors:
            changed[f"{word}-dvs"] = str(vectors)
            name = f"{word}-position-delete-files"
            others = count_of(changed.pop(name, "0")) - vectors
            changed |= {name: str(others)} if others > 0 else {}
    return changed


def usable_totals(summary: Mapping[str, str]) -> dict[str, str]:
    """Return a foreign summary without totals that are not valid counts, which can't be continued."""
    return {name: text for name, text in summary.items() if not name.startswith("total-") or is_count(text)}
