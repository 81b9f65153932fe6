"""Snapshots, manifests and superseded files of a modelled table, as the roles of `formats.base` beyond rewriting.

A commit adds one small manifest. Snapshots expire by age and `keep_last` of the only branch; there are no tags and no
properties. A file that only expired snapshots had stays in the storage until it is deleted.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from engine.domain.errors import CommitConflict, Transient
from engine.domain.runs.expiry import Expiry, ExpiryPlan, OldCopy
from engine.domain.runs.left_out import LeftOut
from engine.domain.runs.manifests import ManifestFigures, ManifestPlan
from engine.domain.runs.removals import FileCount, RemovalFigures, RemovalPlan
from engine.formats.base import REMOVED_FILES, Condition, NoParts, RewrittenSnapshot, SnapshotKind, SnapshotProof

if TYPE_CHECKING:
    from tests.simulation.lake import ModelTable, Snapshot

TARGET_BYTES: Final = 8 * 2**20
SMALL_BYTES: Final = TARGET_BYTES * 3 // 4
HEAD_BYTES: Final = 4000
ENTRY_BYTES: Final = 150
"""Stored bytes of a manifest, and of each entry in it; measured with ten columns that have bounds."""
_TRIES: Final = 8


@dataclass(frozen=True, slots=True)
class Manifests:
    """The manifests of a snapshot: those below `SMALL_BYTES`, their bytes, and those that are `full`."""

    small: int = 0
    small_bytes: int = 0
    full: int = 0

    @property
    def count(self) -> int:
        return self.small + self.full

    @property
    def total_bytes(self) -> int:
        return self.small_bytes + self.full * TARGET_BYTES

    def committed(self, files: int, commits: int = 1) -> "Manifests":
        """Return them after commits that changed this number of files in total."""
        return replace(
            self,
            small=self.small + commits,
            small_bytes=self.small_bytes + commits * HEAD_BYTES + files * ENTRY_BYTES,
        )

    def rewritten(self) -> "Manifests":
        """Return them after a rewrite: as few as their bytes allow, of which only the last is small."""
        full, rest = divmod(self.small_bytes, TARGET_BYTES)
        if rest >= SMALL_BYTES:
            return Manifests(0, 0, self.full + full + 1)
        return Manifests(int(rest > 0), rest, self.full + full)

    def plan(self) -> ManifestPlan:
        """Return what a rewrite would do; fewer must result."""
        added = ceil(self.small_bytes / TARGET_BYTES)
        is_useful = self.small > added
        return ManifestPlan(
            target_bytes=TARGET_BYTES,
            manifests=self.count,
            manifest_bytes=self.total_bytes,
            rewritten=self.small if is_useful else 0,
            rewritten_bytes=self.small_bytes if is_useful else 0,
            added=added if is_useful else 0,
        )


@dataclass
class Removal:
    """The deletion of a run: the snapshots whose expiry it announced, and the recorded files."""

    snapshots: set[int] = field(default_factory=set)
    files: dict[str, int] = field(default_factory=dict)


def at(snapshot: "Snapshot") -> datetime:
    """Return the commit time of a snapshot."""
    return datetime.fromtimestamp(snapshot.at_ms / 1000, UTC)


class ModelExpiry:
    """The expiry of a modelled table's snapshots, at one moment. The model has no tags."""

    def __init__(self, table: "ModelTable", retained: "Sequence[Snapshot]") -> None:
        self._table = table
        self._retained = retained

    @property
    def default_age(self) -> timedelta:
        return timedelta(days=5)

    def plan(self, expiry: Expiry) -> ExpiryPlan:
        return _plan(self._retained, expiry)

    def expire(
        self,
        snapshot_ids: Sequence[int],
        expiry: Expiry,
        *,
        before_try: Callable[[], None],
        deletes_for: str | None = None,
    ) -> Sequence[Condition]:
        table = self._table
        for _ in range(_TRIES):
            table.lake.answer()
            version = table.version
            still = _plan(table.retained(), expiry).expired.keys() & set(snapshot_ids)
            if not still:
                return ()
            if deletes_for is not None:
                table.removals.setdefault(deletes_for, Removal()).snapshots |= still
            before_try()
            if table.lake.send(lambda version=version, still=still: table.expire(still, version)):  # type: ignore[misc]
                left = still & {each.number for each in table.retained()}
                return (Condition("expired_are_gone", not left, f"{len(left)} are left"),)
            table.lake.loop.pause(table.lake.random.uniform(0.01, 0.1))
        raise Transient(f"lost {_TRIES} races in a row")

    def old_copies(self) -> Sequence[OldCopy]:
        pairs = list(zip(self._retained, self._retained[1:], strict=False))[::-1]
        return [
            OldCopy(old.number, new.number, new.run_id, at(new))
            for old, new in pairs
            if new.kind is SnapshotKind.REWRITE and new.run_id is not None and new.number == old.number + 1
        ]

    def retained(self, snapshot_ids: Sequence[int]) -> frozenset[int]:
        self._table.lake.answer()
        return frozenset(snapshot_ids) & {each.number for each in self._table.retained()}

    def expire_tags(
        self,
        names: Sequence[str],
        expiry: Expiry,
        *,
        before_try: Callable[[], None],
        deletes_for: str | None = None,
    ) -> Sequence[Condition]:
        return ()

    def retained_tags(self, names: Sequence[str]) -> frozenset[str]:
        return frozenset()


class ModelManifests:
    """Rewrites of the manifests of a modelled table, at one moment."""

    def __init__(self, table: "ModelTable", retained: "Sequence[Snapshot]") -> None:
        self._table = table
        self._retained = retained

    def plan(self) -> ManifestPlan:
        return (self._retained[-1].manifests if self._retained else Manifests()).plan()

    def commit(
        self,
        run_id: str,
        attempt: int,
        *,
        before_try: Callable[[], None],
        announce: Callable[[LeftOut], None] = lambda _: None,
    ) -> RewrittenSnapshot:
        table = self._table
        for _ in range(_TRIES):
            table.lake.answer()
            head = table.head
            if head is None or not head.manifests.plan().rewritten:
                return RewrittenSnapshot(None)
            before_try()
            made = replace(
                head,
                number=head.number + 1,
                kind=SnapshotKind.REWRITE,
                run_id=run_id,
                attempt=attempt,
                groups=(0,),
                removed=(),
                added=(),
                manifests=head.manifests.rewritten(),
            )
            if table.lake.send(lambda head=head, made=made: table.swap(head, made)):  # type: ignore[misc]
                return RewrittenSnapshot(made.number)
            table.lake.loop.pause(table.lake.random.uniform(0.01, 0.1))
        raise CommitConflict(f"lost {_TRIES} races in a row")

    def prove(self, snapshot_id: int) -> SnapshotProof:
        self._table.lake.answer()
        made, parent = self._table.by_number(snapshot_id), self._table.by_number(snapshot_id - 1)
        if made is None or parent is None:
            return SnapshotProof((), None)
        same = Condition("same_files", made.files == parent.files, f"{len(made.files)} files")
        plan = parent.manifests.plan()
        figures = ManifestFigures(
            rewritten=plan.rewritten,
            added=plan.added,
            rewritten_bytes=plan.rewritten_bytes,
            added_bytes=made.manifests.small_bytes,
            entries=len(made.files),
            manifests_before=parent.manifests.count,
            manifests_after=made.manifests.count,
            seconds_before=0.0,
            seconds_after=0.0,
        )
        return SnapshotProof((same,), figures)

    def remove(self, run_id: str, *, up_to_attempt: int) -> int:
        return 0  # the model has no metadata files


class ModelUpkeep(NoParts):
    """Expiry, its files and the rewrite of manifests over a modelled table, at one moment."""

    def __init__(self, table: "ModelTable") -> None:
        self._table = table
        self._retained = table.retained()

    @property
    def expiry(self) -> "ModelExpiry":
        return ModelExpiry(self._table, self._retained)

    @property
    def manifest_rewrite(self) -> "ModelManifests":
        return ModelManifests(self._table, self._retained)

    @property
    def expired_removal(self) -> "ModelExpiredRemoval":
        return ModelExpiredRemoval(self._table)


class ModelExpiredRemoval:
    """`ExpiredRemoval` over a modelled table."""

    def __init__(self, table: "ModelTable") -> None:
        self._table = table

    def preview(self, snapshot_ids: Sequence[int], others: Sequence[str], tags: Sequence[str] = ()) -> RemovalPlan:
        return _removal_plan(self._table.only_in(set(snapshot_ids)))

    def files(self, snapshot_ids: Sequence[int], others: Sequence[str], tags: Sequence[str] = ()) -> Iterator[pa.Table]:
        yield _listed(self._table.only_in(set(snapshot_ids)))

    def deleted_files(self, run_id: str) -> Iterator[pa.Table]:
        if run_id in self._table.deleted:
            yield _listed(self._table.deleted[run_id])

    def deletion(self, run_id: str, others: Sequence[str]) -> "ModelDeletion":
        return ModelDeletion(self._table, run_id)


class ModelDeletion:
    """The deletion of the files of a run's expired snapshots, a `FileDeletion`."""

    def __init__(self, table: "ModelTable", run_id: str) -> None:
        self._table, self._run_id = table, run_id
        self._deleted: Counter[str] = Counter()

    def is_pending(self) -> bool:
        self._table.lake.answer()
        return self._run_id in self._table.removals

    def look(self, before_page: Callable[[int], None], seconds: float) -> bool:
        return False

    def record(self) -> RemovalPlan:
        removal = self._table.removals.setdefault(self._run_id, Removal())
        kept = {each.number for each in self._table.retained()}
        found = self._table.only_in(removal.snapshots - kept)
        removal.files = {path: size for path, size in found.items() if path in self._table.storage}
        self._table.deleted[self._run_id] = dict(removal.files)
        return _removal_plan(removal.files)

    def advance(self, before_batch: Callable[[int], None], seconds: float) -> bool:
        removal = self._table.removals[self._run_id]
        if not removal.files:
            return False
        before_batch(1)
        self._table.lake.answer()
        for path, size in removal.files.items():
            if self._table.storage.pop(path, None) is not None:
                self._deleted["files"] += 1
                self._deleted["bytes"] += size
        removal.files = {}
        return False

    def figures(self) -> RemovalFigures:
        return RemovalFigures({"data": FileCount(self._deleted["files"], self._deleted["bytes"])}, requests=1)

    def prove(self) -> Sequence[Condition]:
        self._table.lake.answer()
        missing = {path for each in self._table.retained() for path in each.files} - self._table.storage.keys()
        return (Condition("needed_files_exist", not missing, f"{len(missing)} are missing"),)

    def close(self) -> None:
        self._table.removals.pop(self._run_id, None)


def _listed(files: dict[str, int]) -> pa.Table:
    rows = [{"path": path, "kind": "data", "file_bytes": size, "snapshot_id": None} for path, size in files.items()]
    return pa.Table.from_pylist(rows, schema=REMOVED_FILES)


def _removal_plan(files: dict[str, int]) -> RemovalPlan:
    return RemovalPlan({"data": FileCount(len(files), sum(files.values()))})


def _plan(retained: Sequence["Snapshot"], expiry: Expiry) -> ExpiryPlan:
    rule, needed = expiry.rule, expiry.needed
    kept: dict[int, str] = {each.number: "reference" for each in retained[-1:]}
    kept |= {each.number: "needed" for each in retained if each.number in needed.ids}
    if expiry.only is not None:
        kept |= {each.number: "not_selected" for each in retained if each.number not in expiry.only | kept.keys()}
    if needed.since is not None:
        earlier = [each for each in retained if at(each) < needed.since][-1:]
        kept |= {each.number: "needed" for each in retained if at(each) >= needed.since or each in earlier}
    for each in retained[-rule.keep_last :]:
        kept.setdefault(each.number, "keep_last")
    rest = [each for each in retained if each.number not in kept]
    young = [each for each in rest if expiry.now - at(each) <= rule.older_than]
    counts = Counter(kept.values()) + Counter({"younger": len(young)})
    expired = {each.number: at(each) for each in rest if expiry.now - at(each) > rule.older_than}
    return ExpiryPlan(rule, expired, dict(counts), min((at(each) + rule.older_than for each in young), default=None))
