"""Find the commits of a run by their records in partition parameters, and prove them from the live files."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from engine.domain.runs.output_names import attempt_of
from engine.formats.base import IN_HISTORY, CommittedBatch, Condition, Verification, WrittenGroup
from engine.formats.hive.files.footers import footers_of
from engine.formats.hive.files.listing import files_directly_in
from engine.formats.hive.metadata.partitions import location_of
from engine.formats.hive.rewrite.folders import is_same_folder, normalise_folder, parent_of
from engine.formats.hive.rewrite.records import PARAMETER, CompactionRecord
from engine.formats.hive.view import TableView
from engine.rewriting.kernel.storage.stores.addresses import file_name


def records_of(view: TableView) -> Iterator[tuple[str, str, CompactionRecord]]:
    """Yield the canonical JSON, the location and the record of each partition that Packhouse rewrote."""
    table = view.partitions.table
    rewritten = table.filter(table["record"].is_valid())
    columns = (rewritten[name].to_pylist() for name in ("partition", "location", "record"))
    for partition, location, text in zip(*columns, strict=True):
        if (record := CompactionRecord.of(text)) is not None:
            yield partition, location, record


def find_commits(view: TableView, run_id: str) -> Sequence[CommittedBatch]:
    """Return the commits of a run whose partitions were not rewritten or moved since."""
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    for _, location, record in records_of(view):
        if record.run_id == run_id and is_same_folder(record.location, location):
            groups[record.snapshot_id, record.attempt].append(record.group)
    return [CommittedBatch(number, tuple(sorted(found)), attempt) for (number, attempt), found in groups.items()]


def verify_commit(view: TableView, snapshot_id: int, groups: Sequence[WrittenGroup]) -> Verification:
    """Verify a commit from the present partitions, the files in their folders and the footers of these."""
    mine = {group.ordinal: _placed(view, group.partition) for group in groups}
    in_place = [
        found is not None
        and found[1].group == ordinal
        and (found[1].snapshot_id == snapshot_id or _has_outputs(found[0], groups, ordinal))
        and is_same_folder(found[0], found[1].location)
        for ordinal, found in mine.items()
    ]
    if not all(in_place) or (missing := _missing(view, groups)):
        where = f"{sum(in_place)} of {len(in_place)} partitions are in the new folders"
        detail = f"{missing} files of the rewrite were removed since" if all(in_place) else where
        check = Condition(IN_HISTORY, False, f"another client changed the partition: {detail}")
        return Verification(snapshot_id, False, (check,), 0, 0, 0, 0, 0, 0, is_overtaken=True)
    outputs = [file for group in groups for file in group.outputs]
    footers = footers_of([(file.path, file.file_bytes) for file in outputs], view.storage)
    added = sum(footer.rows for footer in footers if footer is not None)
    inputs = [file for group in groups for file in group.inputs]
    removed, merged = sum(file.record_count for file in inputs), sum(group.rows_deleted for group in groups)
    left_out = f", {merged} left out by key" if merged else ""
    checks = (
        Condition(IN_HISTORY, True, f"{len(in_place)} partitions are in the new folders"),
        Condition("added_as_written", _are_there(view, groups, mine), f"{len(outputs)} files"),
        Condition(
            "rows_conserved", added == removed - merged, f"{removed} rows replaced, {added} in their place{left_out}"
        ),
    )
    sizes = sum(file.file_bytes for file in inputs), sum(file.file_bytes for file in outputs)
    return Verification(
        snapshot_id,
        all(check.holds for check in checks),
        checks,
        len(inputs),
        len(outputs),
        removed,
        added,
        *sizes,
    )


def _placed(view: TableView, partition: str) -> tuple[str, CompactionRecord] | None:
    """Return the location and the record of a partition; None if it is gone or was not rewritten."""
    stored = view.partition_of(partition)
    record = None if stored is None else CompactionRecord.of((stored.parameters or {}).get(PARAMETER))
    return None if stored is None or record is None else (location_of(stored), record)


def _missing(view: TableView, groups: Sequence[WrittenGroup]) -> int:
    """Return how many files of the groups are gone or have another size: `Swap` saw each before it was in place."""
    present: dict[str, tuple[int, int]] = {}
    for folder in {parent_of(file.path) for group in groups for file in group.outputs}:
        present.update(files_directly_in(folder, view.storage))
    outputs = (file for group in groups for file in group.outputs)
    return sum(present.get(file.path, (-1, 0))[0] != file.file_bytes for file in outputs)


def _has_outputs(location: str, groups: Sequence[WrittenGroup], ordinal: int) -> bool:
    """Return whether a partition has the folder of a group, as after an earlier call for it that was executed last."""
    outputs = (file for group in groups if group.ordinal == ordinal for file in group.outputs)
    return {normalise_folder(parent_of(file.path)) for file in outputs} == {normalise_folder(location)}


def _are_there(
    view: TableView, groups: Sequence[WrittenGroup], stored: dict[int, tuple[str, CompactionRecord] | None]
) -> bool:
    """Return whether each partition's folder has exactly the outputs of its group among the files of the run."""
    for group in groups:
        found = stored[group.ordinal]
        if found is None:
            return False
        present = files_directly_in(found[0], view.storage)
        written = {path: size for path, (size, _) in present.items() if attempt_of(file_name(path), found[1].run_id)}
        if written != {file.path: file.file_bytes for file in group.outputs}:
            return False
    return True
