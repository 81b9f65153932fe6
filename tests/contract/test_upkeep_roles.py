"""The contract of the roles of table formats besides rewriting.

These are `SnapshotExpiry`, `ExpiredRemoval`, `OrphanRemoval` and `SnapshotRewrite`. The subjects are those of
`test_formats` that have the roles; their writers also leave files behind.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol
from uuid import NAMESPACE_URL, uuid5

import pyarrow as pa
import pytest

from engine.domain.errors import LeaseLost
from engine.domain.runs.expiry import Expiry, ExpiryRule, Needed
from engine.domain.runs.manifests import ManifestFigures
from engine.domain.runs.removals import OrphanRule
from engine.formats.base import (
    REMOVED_FILES,
    FileDeletion,
    OpenTable,
)
from tests.contract.test_formats import (
    DAYS,
    REF,
    RUN,
    IcebergSubject,
    ModelSubject,
    PaimonSubject,
    Subject,
    committed,
    connect,
    machine,
    no_lease,
    opened,
)
from tests.simulation.lake import DataFile
from tests.simulation.world import Machine, open_world
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.rest_lakes import RestLake
from tests.support.world import make_lake
from tests.upkeep.histories import local
from tests.upkeep.orphans import pass_time

__all__ = ["machine"]

QUARANTINE = timedelta(days=2)
RULE = OrphanRule(timedelta(days=3), QUARANTINE)


class UpkeepSubject(Subject, Protocol):
    """A subject whose storage can be seen, and whose time passes."""

    def leave_orphan(self, name: str) -> str:
        """Write a file without a commit, of the first day; return its location."""

    def commit_orphan(self, path: str) -> None:
        """Commit a file that was left behind."""

    def has(self, path: str) -> bool:
        """Return whether a file exists."""

    def pass_time(self, by: timedelta) -> None:
        """Let time pass for all files, and for what was stored about them."""


class IcebergUpkeep(IcebergSubject):
    def leave_orphan(self, name: str) -> str:
        table = self.lake.table
        live = next(each for each in self.lake.paths() if f"day={DAYS[0]}" in each)
        named = name if RUN in name else f"00000-0-{uuid5(NAMESPACE_URL, name)}"
        path = f"{table.location()}/data/day={DAYS[0]}/{named}.parquet"
        local(path).write_bytes(local(live).read_bytes())
        return path

    def commit_orphan(self, path: str) -> None:
        self.lake.table.add_files([path])

    def has(self, path: str) -> bool:
        return local(path).exists()

    def pass_time(self, by: timedelta) -> None:
        pass_time(local(self.lake.table.location()), by)


class PaimonUpkeep(PaimonSubject):
    def leave_orphan(self, name: str) -> str:
        (folder,) = self.lake.folder.glob(f"day={DAYS[0]}/bucket-*")
        live = next(folder.glob("data-*.parquet"))
        path = folder / (f"{name}.parquet" if RUN in name else f"data-{uuid5(NAMESPACE_URL, name)}-0.parquet")
        path.write_bytes(live.read_bytes())
        return str(path)

    def commit_orphan(self, path: str) -> None:
        self.lake.call("commit_file", path=path)

    def has(self, path: str) -> bool:
        return Path(path).exists()

    def pass_time(self, by: timedelta) -> None:
        pass_time(self.lake.folder, by)


class ModelUpkeep(ModelSubject):
    def leave_orphan(self, name: str) -> str:
        return self._table.leave_orphan(DAYS[0], name)

    def commit_orphan(self, path: str) -> None:
        table, head = self._table, self._table.head
        assert head is not None
        file = DataFile(
            path, f'{{"day":"{DAYS[0]}"}}', 2**20, table.storage[path], head.number + 1, table.lake.now_ms()
        )
        table.install(replace(head, files={**head.files, path: file}, added=(file,), removed=()))

    def has(self, path: str) -> bool:
        return path in self._table.storage

    def pass_time(self, by: timedelta) -> None:
        self._table.lake.loop.pause(by.total_seconds())


Part = Callable[[UpkeepSubject], None]
CONTRACT: list[Part] = []


def contract(part: Part) -> Part:
    """Register a part of the contract; it is played on every subject."""
    CONTRACT.append(part)
    return part


@contract
def old_snapshots_expire_once_except_the_newest(subject: Subject) -> None:
    subject.append(DAYS[0])
    table = opened(subject)
    assert table.expiry is not None
    every = [each.snapshot_id for each in table.snapshots(100)]
    expiry = expiry_of_all(table, keep_last=2)
    plan = table.expiry.plan(expiry)
    assert sorted(plan.expired) == sorted(every[2:])
    assert list(plan.expired.values()) == sorted(plan.expired.values())
    assert sum(plan.kept.values()) == 2
    pointer = connect(subject).pointers([REF])[REF]
    proof = table.expiry.expire(tuple(plan.expired), expiry, before_try=lambda: None)
    assert proof
    assert all(each.holds for each in proof)
    assert table.expiry.retained(every) == set(every[:2])
    assert opened(subject).head_snapshot_id == every[0]
    has_moved = connect(subject).pointers([REF])[REF] != pointer
    assert has_moved is not isinstance(subject, PaimonSubject)  # its pointer is the newest snapshot
    assert table.expiry.expire(tuple(plan.expired), expiry, before_try=no_lease) == ()
    assert opened(subject).digest().num_rows == 7


@contract
def young_snapshots_and_needed_ones_stay(subject: Subject) -> None:
    subject.append(DAYS[0])
    table = opened(subject)
    assert table.expiry is not None
    expiry = expiry_of_all(table, keep_last=1)
    old = replace(expiry, rule=ExpiryRule(timedelta(days=2), 1))
    assert not table.expiry.plan(old).expired
    assert table.expiry.plan(old).next_at is not None
    oldest = table.snapshots(100)[-1].snapshot_id
    needed = replace(expiry, needed=Needed(frozenset({oldest})))
    assert oldest not in table.expiry.plan(needed).expired
    table.expiry.expire([oldest], needed, before_try=no_lease)
    assert not table.expiry.plan(replace(expiry, only=frozenset())).expired
    with pytest.raises(LeaseLost):
        table.expiry.expire([oldest], expiry, before_try=no_lease)
    assert table.expiry.retained([oldest]) == {oldest}


@contract
def copies_that_a_rewrite_replaced_are_named(subject: Subject) -> None:
    subject.append(DAYS[0])
    table = opened(subject)
    assert table.expiry is not None
    assert not table.expiry.old_copies()
    parent = table.head_snapshot_id
    snapshot_id = committed(subject, DAYS)
    found = opened(subject)
    assert found.expiry is not None
    assert [(each.snapshot_id, each.rewrite_id, each.run_id) for each in found.expiry.old_copies()] == [
        (parent, snapshot_id, RUN)
    ]


@contract
def files_that_only_expired_snapshots_needed_are_deleted(subject: Subject) -> None:
    snapshot_id = committed(subject, DAYS)
    table = opened(subject)
    assert table.expiry is not None
    removal = table.expired_removal
    assert removal is not None
    expiry = expiry_of_all(table, keep_last=1)
    plan = table.expiry.plan(expiry)
    foreseen = removal.preview(tuple(plan.expired), ()).files["data"]
    assert foreseen.files == 6
    paths = data_paths(removal.files(tuple(plan.expired), ()))
    assert len(paths) == 6
    assert not data_paths(removal.deleted_files(RUN))
    table.expiry.expire(tuple(plan.expired), expiry, before_try=lambda: None, deletes_for=RUN)
    deletion = removal.deletion(RUN, ())
    assert deletion.is_pending()
    assert deletion.record().files["data"] == foreseen
    assert data_paths(removal.deleted_files(RUN)) == paths
    while deletion.advance(lambda _requests: None, 60.0):
        pass
    assert deletion.figures().deleted["data"] == foreseen
    assert all(each.holds for each in deletion.prove())
    deletion.close()
    assert data_paths(removal.deleted_files(RUN)) == paths
    assert not removal.deletion(RUN, ()).is_pending()
    assert opened(subject).head_snapshot_id == snapshot_id
    assert opened(subject).digest().num_rows == 2


@contract
def manifests_are_merged_once(subject: Subject) -> None:
    for _ in range(3):
        subject.append(DAYS[0])
    table = opened(subject)
    rewrite = table.manifest_rewrite
    assert rewrite is not None
    files, plan = table.digest().num_rows, rewrite.plan()
    assert (plan.manifests, plan.rewritten, plan.added) == (table.figures().manifest_count, plan.manifests, 1)
    with pytest.raises(LeaseLost):
        rewrite.commit(RUN, 1, before_try=no_lease)
    made = rewrite.commit(RUN, 1, before_try=lambda: None).snapshot_id
    assert made == opened(subject).head_snapshot_id
    proof = rewrite.prove(made or 0)
    assert isinstance(proof.figures, ManifestFigures)
    assert all(each.holds for each in proof.checks)
    assert (proof.figures.manifests_before, proof.figures.manifests_after) == (plan.manifests, 1)
    assert [each.snapshot_id for each in opened(subject).commits.find(RUN)] == [made]
    after = opened(subject)
    assert after.manifest_rewrite is not None
    assert (after.digest().num_rows, after.figures().manifest_count) == (files, 1)
    assert after.manifest_rewrite.commit(RUN, 2, before_try=no_lease).snapshot_id is None


@contract
def an_orphan_is_deleted_by_the_second_of_two_looks(subject: UpkeepSubject) -> None:
    table, path = opened(subject), subject.leave_orphan("left")
    assert table.orphan_removal is not None
    table.orphan_removal.check()
    files = set(table.digest()["path"].to_pylist())
    assert looked(subject).record().total.files == 0, "it is young"
    subject.pass_time(RULE.older_than)
    young = subject.leave_orphan("young")
    plan = table.orphan_removal.preview(RULE, (), (), lambda _: None)
    assert (plan.total.files, plan.details["look"]["unreferenced"]["files"]) == (0, 1)
    first = looked(subject)
    assert first.record().details["look"]["next_at"] is not None
    subject.pass_time(QUARANTINE - timedelta(hours=1))
    assert looked(subject).record().total.files == 0, "it is in quarantine"
    subject.pass_time(timedelta(hours=1))
    second = looked(subject)
    assert second.record().total.files == 1
    assert deleted(second) == 1
    assert (subject.has(path), subject.has(young)) == (False, True)
    assert set(opened(subject).digest()["path"].to_pylist()) == files
    assert all(subject.has(each) for each in files)
    assert looked(subject).record().details["look"]["unreferenced"]["files"] == 0


@contract
def files_of_open_runs_and_of_tables_inside_are_no_orphans(subject: UpkeepSubject) -> None:
    written, other = subject.leave_orphan(f"{RUN}-00000-1-0"), subject.leave_orphan("other")
    inside = [other.rpartition("/")[0]]
    subject.pass_time(RULE.older_than)
    for others, open_runs, left in ((inside, (), 0), ((), (RUN,), 1), ((), (), 2)):
        assert looked(subject, others, open_runs).record().details["look"]["unreferenced"]["files"] == left
    subject.pass_time(QUARANTINE)
    assert deleted(looked(subject, (), (RUN,))) == 1
    assert (subject.has(written), subject.has(other)) == (True, False)


@contract
def an_orphan_that_is_committed_before_its_deletion_stays(subject: UpkeepSubject) -> None:
    early, late = subject.leave_orphan("early"), subject.leave_orphan("late")
    subject.pass_time(RULE.older_than)
    looked(subject)
    subject.pass_time(QUARANTINE)
    subject.commit_orphan(early)
    deletion = looked(subject)
    assert deletion.record().total.files == 1
    subject.commit_orphan(late)
    assert deleted(deletion) == 0
    assert (subject.has(early), subject.has(late)) == (True, True)


@contract
def a_search_that_is_stopped_stores_and_deletes_nothing(subject: UpkeepSubject) -> None:
    path = subject.leave_orphan("left")
    subject.pass_time(RULE.older_than)
    with pytest.raises(LeaseLost):
        orphans_of(subject).look(lambda _: no_lease(), 60.0)
    subject.pass_time(QUARANTINE)
    assert looked(subject).record().total.files == 0, "the stopped look does not count"
    subject.pass_time(QUARANTINE)
    deletion = looked(subject)
    assert deletion.record().total.files == 1
    with pytest.raises(LeaseLost):
        deletion.advance(lambda _: no_lease(), 60.0)
    assert subject.has(path)


def orphans_of(subject: Subject, others: Sequence[str] = (), open_runs: Sequence[str] = ()) -> FileDeletion:
    table = opened(subject)
    assert table.orphan_removal is not None
    return table.orphan_removal.deletion(RUN, RULE, others, open_runs)


def looked(subject: Subject, others: Sequence[str] = (), open_runs: Sequence[str] = ()) -> FileDeletion:
    """Return a deletion that has looked."""
    deletion = orphans_of(subject, others, open_runs)
    while deletion.look(lambda _: None, 60.0):
        pass
    return deletion


def deleted(deletion: FileDeletion) -> int:
    """Delete, prove, and return the number of deleted files."""
    deletion.record()
    while deletion.advance(lambda _: None, 60.0):
        pass
    assert all(each.holds for each in deletion.prove())
    deletion.close()
    return deletion.figures().total.files


def data_paths(batches: Iterable[pa.Table]) -> set[str]:
    """Return the paths of data files in a list of files."""
    rows = [row for batch in batches for row in batch.select(REMOVED_FILES.names).to_pylist()]
    return {row["path"] for row in rows if row["kind"] == "data"}


def expiry_of_all(table: OpenTable, keep_last: int) -> Expiry:
    """Return an expiry for which every snapshot is old enough."""
    newest = table.snapshots(1)[0].committed_at_ms / 1000
    return Expiry(ExpiryRule(timedelta(hours=1), keep_last), datetime.fromtimestamp(newest, UTC) + timedelta(days=1))


OF_PAIMON: list[Part] = [part for part in CONTRACT if part is not manifests_are_merged_once]
"""Manifests of Paimon tables are not rewritten."""
OF_CATALOGS: list[Part] = [
    young_snapshots_and_needed_ones_stay,
    files_that_only_expired_snapshots_needed_are_deleted,
    an_orphan_that_is_committed_before_its_deletion_stays,
]
"""The parts whose result depends on what the catalog says is in use."""


@pytest.mark.usefixtures("core_child")
@pytest.mark.parametrize("part", OF_PAIMON, ids=lambda part: part.__name__)
def test_paimon_tables(part: Part, paimon_core: PaimonCore, tmp_path: Path) -> None:
    part(PaimonUpkeep(PaimonLake(paimon_core, tmp_path)))


@pytest.mark.usefixtures("core_child")
@pytest.mark.parametrize(
    "part",
    [pytest.param(part, marks=[] if part in OF_CATALOGS else pytest.mark.deep) for part in OF_PAIMON],
    ids=lambda part: part.__name__,
)
def test_paimon_tables_of_a_rest_catalog(part: Part, rest_lake: RestLake) -> None:
    part(PaimonUpkeep(rest_lake))


@pytest.mark.parametrize("part", CONTRACT, ids=lambda part: part.__name__)
def test_iceberg_tables(part: Part, tmp_path: Path) -> None:
    part(IcebergUpkeep(make_lake(tmp_path, days=2, files=3)))


@pytest.mark.parametrize("part", CONTRACT, ids=lambda part: part.__name__)
def test_modelled_tables(part: Part, machine: Machine) -> None:
    with open_world(machine, seed=1) as world:
        world.run(asyncio.to_thread(lambda: part(ModelUpkeep(world))))
