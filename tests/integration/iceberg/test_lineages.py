"""Promised history is kept: snapshots are counted along what a branch had, whatever was removed from it before."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table.metadata import TableMetadata, TableMetadataV1, TableMetadataV2
from pyiceberg.table.refs import SnapshotRef, SnapshotRefType
from pyiceberg.table.snapshots import Operation, Snapshot, Summary
from pyiceberg.table.sorting import SortOrder
from pyiceberg.table.update import RemoveSnapshotsUpdate, TableUpdate, update_table_metadata
from pyiceberg.types import LongType, NestedField

from engine.domain.runs.expiry import UNKNOWN_HISTORY, Expiry, ExpiryRule, instant
from engine.formats.iceberg.commits.expiry import _updates, old_copies, plan_expiry
from engine.formats.iceberg.metadata.history import RUN_ID, commits_of, history, is_ancestor, known_since
from engine.formats.iceberg.metadata.lineages import LINKS, MOST_LINKS, Lineages

HOUR_MS: Final = 3_600_000
LONG: Final = timedelta(days=10_000)


@dataclass
class Table:
    """The metadata of a table that commits, references and removals change, one each hour.

    `parents` has the parent of every snapshot there ever was. `is_java`: metadata is written as Iceberg's own catalogs
    do, where a snapshot keeps the id of a removed parent; PyIceberg clears it.
    """

    is_java: bool = False
    version: int = 2
    parents: dict[int, int | None] = field(default_factory=dict)
    files: dict[int, int] = field(default_factory=dict)
    hours: int = 0

    def __post_init__(self) -> None:
        made: dict[str, Any] = {
            "location": "file:///table",
            "last_column_id": 1,
            "schemas": [Schema(NestedField(1, "id", LongType()))],
            "partition_specs": [PartitionSpec()],
            "sort_orders": [SortOrder()],
        }
        v1 = {"schema": made["schemas"][0], "partition_spec": [], "last_partition_id": 999}
        self.metadata: TableMetadata = TableMetadataV2(**made) if self.version > 1 else TableMetadataV1(**made, **v1)

    def commit(self, branch: str = "main", *, is_rewrite: bool = False, run: str = "run") -> int:
        """Add a snapshot to a branch, an append of one file or a rewrite by Packhouse of all files into one."""
        self.hours += 1
        head = self.metadata.refs.get(branch)
        parent, number = None if head is None else head.snapshot_id, len(self.parents) + 1
        had = 0 if parent is None else self.files[parent]
        self.files[number] = 1 if is_rewrite else had + 1
        counts = {"added-data-files": "1", "total-data-files": str(self.files[number]), "total-delete-files": "0"}
        more = {"deleted-data-files": str(had), RUN_ID: run} if is_rewrite else {}
        kind = Operation.REPLACE if is_rewrite else Operation.APPEND
        self.parents[number] = parent
        made = Snapshot(
            snapshot_id=number,
            parent_snapshot_id=parent,
            sequence_number=number if self.version > 1 else 0,
            timestamp_ms=self.hours * HOUR_MS,
            manifest_list="file:///list",
            summary=Summary(kind, **counts, **more),
        )
        self._replace(snapshots=[*self.metadata.snapshots, made])
        self.point(branch, number)
        return number

    def point(self, name: str, snapshot_id: int | None, **more: Any) -> None:
        """Set a branch, or a tag with a name in capitals; remove it without a snapshot."""
        refs = {each: ref for each, ref in self.metadata.refs.items() if each != name}
        if snapshot_id is not None:
            kind = SnapshotRefType.TAG if name.isupper() else SnapshotRefType.BRANCH
            refs[name] = SnapshotRef(snapshot_id=snapshot_id, snapshot_ref_type=kind, **more)
        self._replace(refs=refs)

    def put(self, name: str, value: str) -> None:
        """Set a table property."""
        self._replace(properties={**self.metadata.properties, name: value})

    def expire(self, rule: ExpiryRule, only: AbstractSet[int] | None = None) -> set[int]:
        """Let Packhouse expire snapshots; return those that are gone."""
        self.hours += 1
        plan = plan_expiry(self.metadata, Expiry(rule, instant(self.hours * HOUR_MS), only=only and frozenset(only)))
        gone = set(plan.expired)
        self._apply(tuple(_updates(self.metadata, gone)) if gone else ())
        return gone

    def delete_old_copies(self) -> set[int]:
        """Let Packhouse remove the parents of its rewrites."""
        return self.expire(ExpiryRule(timedelta(0), 1), {each.snapshot_id for each in old_copies(self.metadata)} or {0})

    def cut(self, snapshot_ids: AbstractSet[int]) -> None:
        """Remove snapshots as another program does: nothing records what was before them."""
        self._apply((RemoveSnapshotsUpdate(snapshot_ids=sorted(snapshot_ids)),))

    @property
    def ids(self) -> list[int]:
        """The retained snapshots, oldest first."""
        return [each.snapshot_id for each in self.metadata.snapshots]

    def line(self, branch: str) -> list[int]:
        """Return the retained snapshots that a branch really had, newest first."""
        return [each for each in self._line(self.metadata.refs[branch].snapshot_id) if each in self.ids]

    def _line(self, snapshot_id: int | None) -> Iterator[int]:
        while snapshot_id is not None:
            yield snapshot_id
            snapshot_id = self.parents[snapshot_id]

    def _apply(self, updates: tuple[TableUpdate, ...]) -> None:
        made = update_table_metadata(self.metadata, updates)
        if self.is_java:
            kept = [
                each.model_copy(update={"parent_snapshot_id": self.parents[each.snapshot_id]})
                for each in made.snapshots
            ]
            made = made.model_copy(update={"snapshots": kept})
        self.metadata = made

    def _replace(self, **fields: Any) -> None:
        self.metadata = self.metadata.model_copy(update=fields)


def rule(keep_last: int, hours: float = 0, **more: Any) -> ExpiryRule:
    return ExpiryRule(timedelta(hours=hours), keep_last, **more)


@pytest.fixture(params=["java", "pyiceberg"])
def table(request: pytest.FixtureRequest) -> Table:
    return Table(is_java=request.param == "java")


def rewritten_each_hour(table: Table, count: int) -> None:
    for _ in range(count):
        table.commit()
        table.commit(is_rewrite=True)


def test_f39_expiry_after_the_deletion_of_old_copies_keeps_as_many_as_it_promises(table: Table) -> None:
    rewritten_each_hour(table, 15)
    assert len(table.delete_old_copies()) == 15
    table.expire(rule(12))
    assert table.ids == list(range(8, 31, 2)), "the 12 newest of the 15 rewrites"
    rewritten_each_hour(table, 2)
    assert table.delete_old_copies() == {31, 33}
    table.expire(rule(12))
    assert table.ids == list(range(12, 35, 2))


def test_f39_expiry_between_tags_counts_on_after_they_are_dropped(table: Table) -> None:
    """An expiry removes snapshots from the middle too, when a tag keeps an older one."""
    for _ in range(9):
        table.commit()
    table.point("MONTH", 2)
    table.expire(rule(3))
    assert table.ids == [2, 7, 8, 9]
    table.point("MONTH", None)
    table.expire(rule(4))
    assert table.ids == [2, 7, 8, 9]
    table.expire(rule(3))
    assert table.ids == [7, 8, 9]


def test_f39_retention_of_branches_and_of_the_table_is_counted_across_removed_snapshots(table: Table) -> None:
    rewritten_each_hour(table, 4)
    table.point("audit", 4)
    table.commit("audit")
    table.delete_old_copies()
    table.point("audit", 9, min_snapshots_to_keep=3)
    table.put("history.expire.min-snapshots-to-keep", "2")
    table.expire(rule(1))
    assert table.ids == [2, 4, 6, 8, 9], "9, 4, 2 of audit; 8 and 6 of main"


def test_f39_a_branch_s_own_age_holds_before_removed_snapshots(table: Table) -> None:
    rewritten_each_hour(table, 4)
    table.delete_old_copies()
    table.point("main", 8, max_snapshot_age_ms=100 * HOUR_MS)
    assert not table.expire(rule(1))


@pytest.mark.parametrize("removed", [{7}, {5, 6, 7}, {3, 7}], ids=str)
def test_history_that_another_program_cut_is_kept_until_newer_snapshots_take_its_place(
    table: Table, removed: set[int]
) -> None:
    for _ in range(8):
        table.commit()
    table.cut(removed)
    kept = table.ids
    assert not table.expire(rule(4)), "what was before is not known"
    for _ in range(2):
        table.commit()
    assert not table.expire(rule(4))
    table.commit()
    table.expire(rule(4))
    assert table.ids == [8, 9, 10, 11]
    assert set(kept) - set(table.ids)


def test_what_is_kept_for_want_of_a_known_history_has_its_own_reason(table: Table) -> None:
    for _ in range(5):
        table.commit()
    table.cut({4})
    plan = plan_expiry(table.metadata, Expiry(rule(2), instant(9 * HOUR_MS)))
    assert plan.kept == {"reference": 1, UNKNOWN_HISTORY: 3}


def test_a_table_that_is_replaced_each_day_does_not_keep_what_it_was_before(table: Table) -> None:
    """`CREATE OR REPLACE TABLE` begins a new history; the first snapshot of it has only files of its own."""
    for _ in range(4):
        table.point("main", None)
        table.commit()
    table.expire(rule(3))
    assert table.ids == [4]


def test_snapshots_that_were_rolled_back_or_never_published_take_no_place_in_the_count(table: Table) -> None:
    for _ in range(4):
        table.commit()
    table.point("main", 3)
    table.commit()
    table.commit("staged")
    table.point("staged", None)
    table.commit()
    table.expire(rule(4))
    assert table.ids == [2, 3, 5, 7]


def test_tables_of_version_1_have_no_sequence_numbers() -> None:
    table = Table(version=1)
    for _ in range(5):
        table.commit()
    table.cut({4})
    assert not table.expire(rule(3))
    assert table.delete_old_copies() == set()


def test_an_old_copy_is_the_parent_itself_and_not_an_earlier_snapshot(table: Table) -> None:
    table.commit()
    table.commit()
    table.commit(is_rewrite=True)
    assert table.delete_old_copies() == {2}
    assert not old_copies(table.metadata), "snapshot 1 has other rows than the rewrite"


def test_snapshots_before_a_removed_one_are_in_the_history_of_main(table: Table) -> None:
    """Reconciling, proofs and rollbacks look for a run's snapshots there."""
    table.commit(is_rewrite=True, run="first")
    rewritten_each_hour(table, 2)
    table.delete_old_copies()
    assert [each.snapshot_id for each in history(table.metadata)] == [5, 3, 1]
    assert [each.snapshot_id for each in commits_of(table.metadata, "first")] == [1]
    assert is_ancestor(table.metadata, 1)
    assert known_since(table.metadata) == 5 * HOUR_MS, "files of removed snapshots are newer than the first"


@pytest.mark.parametrize("text", ["", "x", "3=9", "3=3", "=,=", "3=1=2", "٣=1", f"3={'1' * 20}", "1=3,3=1"])
def test_links_that_another_program_wrote_lead_to_no_endless_search(text: str) -> None:
    table = Table()
    for _ in range(3):
        table.commit()
    table.cut({2})
    table.put(LINKS, text)
    assert Lineages(table.metadata).of(3).snapshots[0].snapshot_id == 3
    assert 1 in table.ids
    table.expire(rule(2))
    assert 1 in table.ids


def test_only_so_many_links_are_stored_and_without_one_more_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_LINKS * 40 < 50_000
    monkeypatch.setattr("engine.formats.iceberg.metadata.lineages.MOST_LINKS", 2)
    table = Table()
    rewritten_each_hour(table, 5)
    table.delete_old_copies()
    assert table.metadata.properties[LINKS] == "10=8,8=6"
    assert not table.expire(rule(4))
    table.expire(rule(3))
    assert table.ids == [6, 8, 10]


def test_links_go_with_the_snapshots_that_need_them(table: Table) -> None:
    rewritten_each_hour(table, 3)
    table.delete_old_copies()
    assert table.metadata.properties[LINKS] == "6=4,4=2"
    table.expire(rule(1, overrides=True))
    assert table.ids == [6]
    assert LINKS not in table.metadata.properties


_NUMBERS: Final = st.integers(0, 7)
_WRITES: Final = st.sampled_from(
    ["append", "append", "rewrite", "rewrite", "branch", "tag", "drop", "roll back", "stage"]
)
_UPKEEP: Final = st.sampled_from(["expire", "expire", "old copies", "reclaim", "purge", "cut"])
STEPS: Final = st.lists(st.tuples(_WRITES | _UPKEEP, _NUMBERS, _NUMBERS), min_size=4, max_size=40)


@given(STEPS, st.booleans(), st.sampled_from([1, 2]))
def test_f39_any_order_of_upkeep_keeps_what_the_policy_says(
    steps: Sequence[tuple[str, int, int]], is_java: bool, version: int
) -> None:
    """Also after other programs removed snapshots; the true history of each branch is known here only."""
    table = Table(is_java=is_java, version=version)
    table.commit()
    for step, number, other in steps:
        play(table, step, number, other)


def play(table: Table, step: str, number: int, other: int) -> None:
    """Do one step and, if it is an expiry, compare it with the promise of its rule."""
    refs = sorted(table.metadata.refs)
    match step:
        case "append" | "rewrite":
            branches = [each for each in refs if each.islower()]
            table.commit(branches[number % len(branches)], is_rewrite=step == "rewrite")
        case "branch" | "tag":
            name = "wip" if step == "branch" else "DAY"
            table.point(
                f"{name}",
                table.ids[number % len(table.ids)],
                **({"min_snapshots_to_keep": 1 + other} if step == "branch" else {}),
            )
        case "drop":
            table.point("wip" if number % 2 else "DAY", None)
        case "roll back":
            line = table.line("main")
            table.point("main", line[min(other % 3, len(line) - 1)])
        case "stage":
            table.point("staged", table.line("main")[0])
            table.commit("staged")
            table.point("staged", None)
        case "cut":
            free = set(table.ids) - {each.snapshot_id for each in table.metadata.refs.values()}
            chosen = sorted(free)[number : number + 1 + other % 2]
            if chosen:
                table.cut(set(chosen))
        case "old copies":
            copies = {each.snapshot_id for each in old_copies(table.metadata)}
            before = table.ids
            assert table.delete_old_copies() <= copies <= set(before)
        case _:
            one = {"expire": rule(1 + number, other), "reclaim": rule(1, other), "purge": rule(1, overrides=True)}[step]
            promised = promise(table, one)
            table.expire(one)
            assert promised <= set(table.ids), f"{step} {one}: {promised - set(table.ids)} are gone"


def promise(table: Table, one: ExpiryRule) -> set[int]:
    """Return the snapshots that an expiry an hour from now has to keep."""
    kept = {each.snapshot_id for each in table.metadata.refs.values()}
    at = {each.snapshot_id: each.timestamp_ms for each in table.metadata.snapshots}
    now = (table.hours + 1) * HOUR_MS
    kept |= {each for each in at if now - at[each] <= one.older_than / timedelta(milliseconds=1)}
    for name, ref in table.metadata.refs.items():
        if ref.snapshot_ref_type is SnapshotRefType.BRANCH:
            own = 0 if one.overrides else ref.min_snapshots_to_keep or 0
            kept |= set(table.line(name)[: max(one.keep_last, own)])
    return kept
