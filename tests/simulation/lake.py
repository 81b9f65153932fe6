"""Tables in memory: their history, the files of their storage, what writers do to them, and the catalog's faults.

The rows of a file are the numbers of those that were appended, so that a lost or doubled row can be told at the end.
`checks_sources` is the defence that a test may take away.
"""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextvars import Context
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random

import pyarrow as pa

from engine.domain.errors import Away, OutcomeUnknown
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.tables.table import TableRef
from engine.formats.base import SnapshotKind
from engine.planning.measures.digest import PartitionTime
from tests.simulation.loop import VirtualLoop
from tests.simulation.processes import present
from tests.simulation.upkeep import Manifests, Removal


@dataclass(frozen=True)
class DataFile:
    """A live file. `deleted` are rows that position deletes took out of it."""

    path: str
    partition: str
    file_bytes: int
    rows: frozenset[int]
    sequence: int
    added_at_ms: int
    deleted: frozenset[int] = frozenset()

    @property
    def delete_path(self) -> str:
        """The delete file that holds all of `deleted`."""
        return f"{self.path}.{len(self.deleted)}.deletes"

    @property
    def live_rows(self) -> frozenset[int]:
        return self.rows - self.deleted


@dataclass(frozen=True)
class Snapshot:
    """The files of a table after one commit, by path, and what the commit was."""

    number: int
    at_ms: int
    kind: SnapshotKind
    files: Mapping[str, DataFile]
    run_id: str | None = None
    attempt: int = 0
    groups: tuple[int, ...] = ()
    removed: tuple[DataFile, ...] = ()
    added: tuple[DataFile, ...] = ()
    manifests: Manifests = Manifests()  # noqa: RUF009 - a frozen value


@dataclass
class CatalogFaults:
    """How likely what goes wrong with one commit is, and how often it did."""

    refused: float = 0.0
    lost_request: float = 0.0
    lost_answer: float = 0.0
    late: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)

    def note(self, what: str) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1


class ModelTable:
    """One table: its history, and the files that lie in its storage, live or not."""

    def __init__(self, ref: TableRef, lake: "Lake") -> None:
        self.ref = ref
        self.lake = lake
        self.uuid = f"uuid-{ref.name}"
        self.location = f"file:///lake/{ref.name}"
        self.snapshots: list[Snapshot] = []
        self.expected: set[int] = set()
        self.storage: dict[str, frozenset[int]] = {}
        self.deletes: dict[str, frozenset[int]] = {}
        self.digests: dict[int, pa.Table] = {}
        self.times: dict[int, PartitionTime] = {}
        self.expired: set[int] = set()
        self.removals: dict[str, Removal] = {}
        self.deleted: dict[str, dict[str, int]] = {}
        self.written_ms: dict[str, int] = {}
        self.looks: dict[str, int] = {}
        self.expiries = 0
        self._rows = count()
        self._names = count()

    @property
    def head(self) -> Snapshot | None:
        return self.snapshots[-1] if self.snapshots else None

    @property
    def files(self) -> Mapping[str, DataFile]:
        return self.head.files if self.head else {}

    def append(self, partition: str, sizes: Sequence[int]) -> None:
        """A writer adds files of so many bytes, one row for each 256 KiB."""
        added = []
        for size in sizes:
            rows = frozenset(next(self._rows) for _ in range(max(1, size // 262_144)))
            path = f"{self.location}/data/{partition}/w{next(self._names)}.parquet"
            self.store(path, rows)
            self.expected |= rows
            added.append(DataFile(path, partition, size, rows, len(self.snapshots) + 1, self.lake.now_ms()))
        self.install(
            Snapshot(0, 0, SnapshotKind.APPEND, {**self.files, **{f.path: f for f in added}}, added=tuple(added))
        )

    def delete_files(self, paths: Sequence[str]) -> None:
        """A writer removes whole files."""
        removed = tuple(self.files[path] for path in paths)
        for each in removed:
            self.expected -= each.rows
        left = {path: each for path, each in self.files.items() if path not in set(paths)}
        self.install(Snapshot(0, 0, SnapshotKind.CHANGE, left, removed=removed))

    def delete_rows(self, path: str, rows: frozenset[int]) -> None:
        """A writer deletes rows by position."""
        self.expected -= rows
        changed = replace(self.files[path], deleted=self.files[path].deleted | rows)
        self.deletes[changed.delete_path] = changed.deleted
        self.install(Snapshot(0, 0, SnapshotKind.CHANGE, {**self.files, path: changed}))

    def install(self, snapshot: Snapshot) -> Snapshot:
        """Make a snapshot the head."""
        made = replace(snapshot, number=len(self.snapshots) + 1, at_ms=self.lake.now_ms())
        if snapshot.manifests == Manifests():
            before = self.head.manifests if self.head else Manifests()
            made = replace(made, manifests=before.committed(len(made.added) + len(made.removed)))
        self.snapshots.append(made)
        return made

    def swap(self, head: Snapshot, snapshot: Snapshot) -> bool:
        """Make a snapshot the head if the head is still the one that it was made on; return whether it was."""
        if self.head is not head:
            return False
        self.install(snapshot)
        return True

    def expire(self, numbers: AbstractSet[int], version: str) -> bool:
        """Remove snapshots from the metadata if it is still of a version; return whether it was."""
        if self.version != version:
            return False
        self.expired |= numbers
        self.expiries += 1
        return True

    @property
    def version(self) -> str:
        """The catalog's pointer: it changes with every commit and every expiry."""
        return f"{len(self.snapshots)}.{self.expiries}"

    def retained(self) -> Sequence[Snapshot]:
        """Return the snapshots that have not expired, oldest first."""
        return [each for each in self.snapshots if each.number not in self.expired]

    def only_in(self, numbers: AbstractSet[int]) -> dict[str, int]:
        """Return the files, with their bytes, that only snapshots of these numbers need."""
        found: dict[str, int] = {}
        for number in numbers:
            found |= {path: each.file_bytes for path, each in self.snapshots[number - 1].files.items()}
        for each in self.retained():
            if each.number not in numbers:
                found = {path: size for path, size in found.items() if path not in each.files}
        return found

    def superseded_bytes(self) -> int:
        """Return the bytes of files in the storage that only expired snapshots needed."""
        return sum(size for path, size in self.only_in(self.expired).items() if path in self.storage)

    def orphans(self) -> frozenset[str]:
        """Return the files in the storage that no snapshot ever had, such as those of writers that crashed."""
        return frozenset(self.storage) - {path for each in self.snapshots for path in each.files}

    def store(self, path: str, rows: frozenset[int]) -> None:
        """Write a file."""
        self.storage[path] = rows
        self.written_ms[path] = self.lake.now_ms()

    def leave_orphan(self, partition: str, name: str = "") -> str:
        """A writer dies after it wrote a file and before its commit; return the file."""
        path = f"{self.location}/data/{partition}/{name or f'w{next(self._names)}'}.parquet"
        self.store(path, frozenset())
        return path

    def by_number(self, number: int) -> Snapshot | None:
        """Return a snapshot that has not expired."""
        if number in self.expired or not 0 < number <= len(self.snapshots):
            return None
        return self.snapshots[number - 1]


class Lake:
    """The catalog with its tables, and its faults. While it is `away` it answers nobody."""

    def __init__(self, *, loop: VirtualLoop, random: Random) -> None:
        self.loop = loop
        self.random = random
        self.tables: dict[TableRef, ModelTable] = {}
        self.away = False
        self.checks_sources = True
        self.faults = CatalogFaults()
        self.lost_races = 0

    def table(self, ref: TableRef) -> ModelTable:
        """Return a table, made when it is asked for first."""
        return self.tables.setdefault(ref, ModelTable(ref, self))

    def now_ms(self) -> int:
        return round(self.loop.instant().timestamp() * 1000)

    def answer(self, *, most: float = 0.03) -> None:
        """Let a call take its time; raise Transient while the catalog is away."""
        present()
        if self.random.random() < 0.3:
            self.loop.pause(self.random.uniform(0.001, most))
            present()
        if self.away:
            self.loop.pause(self.random.uniform(0.01, 2.0))
            raise Away(DependencyKind.CATALOG, "the catalog is away")

    def send(self, land: Callable[[], bool]) -> bool:
        """Send a change: it lands whatever becomes of the sender; return whether it was still possible."""
        loop, luck, faults = self.loop, self.random.random(), self.faults
        if luck < faults.refused:
            faults.note("refused")
            raise Away(DependencyKind.CATALOG, "the catalog can't be reached")
        luck -= faults.refused
        answer = loop.create_future()

        def arrive() -> None:
            is_won = land()
            if not answer.done():
                loop.call_later(self.random.uniform(0.001, 0.05), lambda: answer.done() or answer.set_result(is_won))

        if luck < faults.lost_request:
            faults.note("lost_request")
            self._lose()
        luck -= faults.lost_request
        if luck < faults.late:
            faults.note("late")
            loop.call_later(self.random.uniform(0.5, 30), arrive, context=Context())
            self._lose()
        luck -= faults.late
        loop.call_later(self.random.uniform(0.001, 0.1), arrive, context=Context())
        if luck < faults.lost_answer:
            faults.note("lost_answer")
            self._lose()
        return bool(loop.block(answer))

    def _lose(self) -> None:
        self.loop.pause(self.random.uniform(0.1, 3.0))
        raise OutcomeUnknown("no answer to the commit")
