"""Verify a committed compaction from the table's metadata: what it removed and added, and that nothing else changed.

Rows are counted, not compared: a compaction of a key table leaves out rows that newer ones replace, so that the number
of its rows may become smaller; that of an append table stays the same.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.base import IN_HISTORY, Condition, Verification, WrittenGroup
from engine.formats.paimon.manifests.entries import ADD
from engine.formats.paimon.manifests.live_files import LiveFiles
from engine.formats.paimon.metadata.snapshots import COMPACT, Snapshot
from engine.formats.paimon.rewrite.commits import GROUPS, gone_groups, is_commit_of
from engine.formats.paimon.view import TableView
from engine.rewriting.kernel.storage.stores.addresses import file_name

_BUCKET = ("partition", "bucket")
_OF_FILE = (*_BUCKET, "name")
_ENTRY = (*_BUCKET, "level", "name")
_EXAMPLES = 3


def verify_snapshot(view: TableView, snapshot_id: int, groups: Sequence[WrittenGroup]) -> Verification:
    """Verify a snapshot against the groups that it claims to contain; returns every check, passed or failed.

    If the snapshot is gone, the outputs are looked for among the live files of the newest one.
    """
    snapshot = view.files.snapshot(snapshot_id)
    if snapshot is None or not is_commit_of(snapshot, groups):
        return _by_files(view, snapshot_id, groups)
    changes = view.reader.entries(view.reader.listed(snapshot.delta))
    is_added = pc.equal(changes["kind"], ADD)
    removed, added = changes.filter(pc.invert(is_added)), changes.filter(is_added)
    checks = tuple(_Checks(view, snapshot, removed, added, groups).all())
    return Verification(
        snapshot_id=snapshot_id,
        ok=all(each.holds for each in checks),
        checks=checks,
        removed_files=removed.num_rows,
        added_files=added.num_rows,
        removed_rows=_sum(removed, "record_count"),
        added_rows=_sum(added, "record_count"),
        removed_bytes=_sum(removed, "file_bytes"),
        added_bytes=_sum(added, "file_bytes"),
    )


@dataclass(frozen=True, slots=True)
class _Checks:
    """The checks of one snapshot; `removed` and `added` are its entries, in the schema `manifests.entries.ENTRIES`."""

    view: TableView
    snapshot: Snapshot
    removed: pa.Table
    added: pa.Table
    groups: Sequence[WrittenGroup]

    def all(self) -> Iterator[Condition]:
        yield Condition("snapshot_present", True, f"snapshot {self.snapshot.id}")
        yield Condition("operation_is_compact", self.snapshot.kind == COMPACT, f"operation {self.snapshot.kind}")
        yield self._in_history()
        yield self._claimed_groups()
        inputs = {file_name(each.path): each for group in self.groups for each in group.inputs}
        outputs = {file_name(each.path): each for group in self.groups for each in group.outputs}
        yield _same("removed_files_as_planned", frozenset(inputs), self.removed)
        yield _same("added_files_as_written", frozenset(outputs), self.added)
        counts = {name: (each.file_bytes, each.record_count) for name, each in outputs.items()}
        yield _same_sizes(counts, self.added)
        yield self._rows()
        if self.view.options.has_deletion_vectors and not self.view.schema.primary_keys:
            yield from self._vectors()
        yield self._buckets()
        if self.view.schema.primary_keys:  # the numbers decide which of two rows of a key is newer
            yield self._sequence_numbers()
        yield self._against_parent()

    def _in_history(self) -> Condition:
        newest = 0 if self.view.head is None else self.view.head.id
        detail = f"snapshot {self.snapshot.id} by {self.snapshot.commit_user}; the newest is {newest}"
        return Condition(IN_HISTORY, self.snapshot.id <= newest, detail)

    def _claimed_groups(self) -> Condition:
        claimed = self.snapshot.properties.get(GROUPS, "")[:_MOST_SHOWN]
        given = ",".join(str(group.ordinal) for group in self.groups)
        held = sorted(claimed.split(",")) == sorted(given[:_MOST_SHOWN].split(","))
        return Condition("groups_as_claimed", held, f"snapshot: [{claimed}]; run: [{given}]")

    def _rows(self) -> Condition:
        before, after = _sum(self.removed, "record_count"), _sum(self.added, "record_count")
        is_keyed = bool(self.view.schema.primary_keys)
        gone = sum(group.rows_deleted for group in self.groups)
        held = after == before - gone and (is_keyed or self.view.options.has_deletion_vectors or not gone)
        why = "newer rows replace others" if is_keyed else "deleted by vectors"
        told = f"{before} rows removed, {after} added; {gone} fewer expected" + (f": {why}" if gone else "")
        return Condition("rows_as_expected", held, told)

    def _vectors(self) -> Iterator[Condition]:
        """Yield that the rows are gone that vectors deleted from the inputs, and no others' vectors changed.

        In an append table a compaction applies vectors and makes none.
        """
        parent = self.view.files.snapshot(self.snapshot.id - 1)
        if parent is None:
            yield Condition("vectors_applied", True, f"snapshot {self.snapshot.id - 1} has expired: not compared")
            return
        before, after = (pl.DataFrame(self.view.reader.vectors(each)) for each in (parent, self.snapshot))
        removed = _frame(self.removed, _OF_FILE).unique()
        applied, kept = (before.join(removed, on=list(_OF_FILE), how=how) for how in ("semi", "anti"))
        gone = _sum(self.removed, "record_count") - _sum(self.added, "record_count")
        detail = f"vectors deleted {applied['deleted_rows'].sum()} rows of the inputs, {gone} are gone"
        is_known = applied["deleted_rows"].null_count() == 0
        yield Condition("vectors_applied", not is_known or applied["deleted_rows"].sum() == gone, detail)
        on = [*_OF_FILE, "deleted_rows"]
        lacking, extra = (
            one.join(other, on=on, how="anti", nulls_equal=True) for one, other in ((kept, after), (after, kept))
        )
        detail = f"{kept.height} of other files; {lacking.height} are missing and {extra.height} were not expected"
        yield Condition("other_vectors_unchanged", lacking.is_empty() and extra.is_empty(), detail)

    def _buckets(self) -> Condition:
        strange = _frame(self.added, _BUCKET).unique().join(_frame(self.removed, _BUCKET), on=list(_BUCKET), how="anti")
        detail = f"{strange.height} buckets got files that lost none"
        return Condition("same_buckets", strange.is_empty(), detail)

    def _sequence_numbers(self) -> Condition:
        """Return that the outputs of each bucket are within the sequence numbers of its inputs."""
        wide = _ranges(self.added).join(_ranges(self.removed), on=list(_BUCKET), how="left", suffix="_before")
        beyond = wide.filter(
            (pl.col("min_sequence") < pl.col("min_sequence_before"))
            | (pl.col("max_sequence") > pl.col("max_sequence_before"))
        )
        detail = f"{beyond.height} buckets have outputs beyond the sequence numbers of their inputs"
        return Condition("sequence_numbers_within_inputs", beyond.is_empty(), detail)

    def _against_parent(self) -> Condition:
        name = "nothing_else_changed"
        parent = self.view.files.snapshot(self.snapshot.id - 1)
        if parent is None:
            return Condition(name, True, f"snapshot {self.snapshot.id - 1} has expired: not compared")
        before, after = (_frame(self._live(each), _ENTRY) for each in (parent, self.snapshot))
        on = list(_ENTRY)
        wanted = pl.concat([before.join(_frame(self.removed, _ENTRY), on=on, how="anti"), _frame(self.added, _ENTRY)])
        lacking, extra = (one.join(other, on=on, how="anti") for one, other in ((wanted, after), (after, wanted)))
        detail = f"{after.height} live files; {lacking.height} are missing and {extra.height} were not expected"
        return Condition(name, lacking.is_empty() and extra.is_empty(), detail)

    def _live(self, snapshot: Snapshot) -> pa.Table:
        reader = self.view.reader
        entries = reader.entries(reader.manifests(snapshot))
        vectors = reader.vectors(None)
        return LiveFiles.of(entries, vectors, codec=self.view.codec, location=self.view.files.location).files


_MOST_SHOWN = 10_000


def _by_files(view: TableView, snapshot_id: int, groups: Sequence[WrittenGroup]) -> Verification:
    """Verify groups whose snapshot is gone: it expired if the outputs are live; otherwise it was taken back."""
    names = [file_name(each.path) for group in groups for each in group.outputs]
    is_live = pc.is_in(pa.array(names, pa.string()), value_set=view.live.files["name"].combine_chunks())
    count = pc.sum(is_live).as_py() or 0
    holds = count == len(names) if names else len(gone_groups(view, groups)) == len(groups)
    check = Condition(IN_HISTORY, holds, f"snapshot {snapshot_id} is gone; {count} of its files are live")
    inputs = [each for group in groups for each in group.inputs]
    outputs = [each for group in groups for each in group.outputs]
    return Verification(
        snapshot_id=snapshot_id,
        ok=check.holds,
        checks=(check,),
        removed_files=len(inputs),
        added_files=len(outputs),
        removed_rows=sum(each.record_count for each in inputs),
        added_rows=sum(each.record_count for each in outputs),
        removed_bytes=sum(each.file_bytes for each in inputs),
        added_bytes=sum(each.file_bytes for each in outputs),
    )


def _same(name: str, wanted: frozenset[str], entries: pa.Table) -> Condition:
    found = frozenset(entries["name"].to_pylist())
    strange = sorted(wanted ^ found)[:_EXAMPLES]
    detail = f"{len(found)} files, {len(wanted)} expected" + (f"; differing: {', '.join(strange)}" if strange else "")
    return Condition(name, not strange and len(found) == entries.num_rows, detail)


def _same_sizes(counts: dict[str, tuple[int, int]], entries: pa.Table) -> Condition:
    columns = (entries[name].to_pylist() for name in ("name", "file_bytes", "record_count"))
    wrong = [name for name, size, rows in zip(*columns, strict=True) if counts.get(name) != (size, rows)]
    detail = f"{len(wrong)} files have other sizes or row counts than the task reported"
    return Condition("sizes_as_written", not wrong, detail)


def _ranges(entries: pa.Table) -> pl.DataFrame:
    frame = _frame(entries, (*_BUCKET, "min_sequence", "max_sequence"))
    return frame.group_by(_BUCKET).agg(pl.col("min_sequence").min(), pl.col("max_sequence").max())


def _frame(entries: pa.Table, names: Sequence[str]) -> pl.DataFrame:
    return pl.DataFrame(entries.select(list(names)))


def _sum(entries: pa.Table, name: str) -> int:
    return int(pc.sum(entries[name]).as_py() or 0)
