"""A whole Packhouse on one Paimon table (`tests.support.world`), and a twin of the table that Packhouse never touches.

Other writers do to both tables the same, so that the twin has the rows that the table should have. The core runs in a
child JVM of this process instead of Spark.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Final

from engine.domain.runs.run import RunState
from engine.domain.tables.table import FormatName
from engine.formats.base import TableFormat
from engine.formats.paimon.connection import PaimonFormat
from tests.support.format_subjects import local_core
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.lakes import PaimonLake, made_once
from tests.support.paimon.second_reader import PyPaimon
from tests.support.settings import settings_of
from tests.support.world import World, open_on

DAYS: Final = ("2026-11-01", "2026-11-02")
_ROWS: Final = 20
_COMMITS: Final = 4
_POLICY: Final = {"rewrite": {"min_input_files": 2, "key_tables": {"sorted_run_trigger": 3}}}
_TEXT_BYTES: Final = 200_000
"""Of a value in a column of texts that is added to the table; they don't compress below half their size."""


@dataclass(frozen=True)
class Kind:
    """A kind of table: its options, the key columns, and how many buckets of a dynamic table are written.

    `is_foreign`: pypaimon makes it and writes to it, as far as it can.
    """

    keys: tuple[str, ...]
    options: Mapping[str, str]
    buckets: int = 0
    reading: Mapping[str, str] = field(default_factory=dict)  # options under which rows of level 0 are read too
    is_foreign: bool = False

    @property
    def columns(self) -> list[tuple[str, str]]:
        suffix = " NOT NULL" if self.keys else ""
        return [("id", f"BIGINT{suffix}"), ("day", f"STRING{suffix}"), ("value", "DOUBLE"), ("count", "INT")]


_KEYS: Final = ("id", "day")
KINDS: Final[Mapping[str, Kind]] = {
    "key": Kind(_KEYS, {"bucket": "2", "write-only": "true"}),
    "append": Kind((), {"bucket": "-1"}),
    "foreign key": Kind(_KEYS, {"bucket": "2", "write-only": "true"}, is_foreign=True),
    "foreign append": Kind((), {"bucket": "-1"}, is_foreign=True),
    "dynamic": Kind(_KEYS, {"bucket": "-1", "write-only": "true"}, buckets=2),
    "lookup": Kind(_KEYS, {"bucket": "1", "changelog-producer": "lookup", "write-only": "true"}),
    "vectors": Kind(
        _KEYS,
        {
            "bucket": "1",
            "deletion-vectors.enabled": "true",
            "deletion-vectors.modifiable": "true",
            "write-only": "true",
        },
        reading={"deletion-vectors.enabled": "false"},
    ),
}


@dataclass(frozen=True)
class TwinLake:
    """A table and its twin."""

    kind: Kind
    ours: PaimonLake
    twin: PaimonLake
    numbers: list[int] = field(default_factory=lambda: [0])
    left: set[str] = field(default_factory=set)
    pypaimon: PyPaimon | None = None

    format: ClassVar[FormatName] = FormatName.PAIMON

    @property
    def properties(self) -> Mapping[str, str]:
        return self.ours.properties

    @property
    def uuid(self) -> str:
        return self.ours.open().uuid

    def rows(self) -> list[Any]:
        """The rows of the table, sorted, as the core's reader merges them."""
        found: list[Any] = self.ours.call("values", options=dict(self.kind.reading))
        return found

    def twin_rows(self) -> list[Any]:
        """The rows that the table should have."""
        found: list[Any] = self.twin.call("values", options=dict(self.kind.reading))
        return found

    def stored_files(self) -> set[str]:
        return {str(path) for path in self.ours.folder.rglob("bucket-*/*") if path.is_file()}

    def reached(self) -> set[str]:
        return set(self.ours.call("reached"))

    def left_by_rollbacks(self) -> set[str]:
        return self.left

    def roll_back(self) -> None:
        """Roll both tables back to the third snapshot, or the oldest after it. Paimon leaves files of the others."""
        self.left.update(self.reached())
        for lake in (self.ours, self.twin):
            ids = [each["id"] for each in lake.call("snapshots")]
            lake.call("roll_back", snapshot=min((each for each in ids if each >= 3), default=ids[0]))

    def snapshots_of(self, run_id: str) -> set[int]:
        return {each["id"] for each in self.ours.call("snapshots") if each["properties"].get(RUN_ID) == run_id}

    def both(self, name: str, /, **arguments: Any) -> None:
        """Call the core for both tables."""
        for lake in (self.ours, self.twin):
            lake.call(name, **arguments)

    def create(self) -> None:
        """Create both tables."""
        for lake in (self.ours, self.twin):
            if self.pypaimon is not None:
                self.pypaimon.do(
                    lake,
                    "create",
                    columns=_for_arrow(self.kind.columns),
                    partition_keys=["day"],
                    primary_keys=list(self.kind.keys),
                    options=dict(self.kind.options),
                )
                continue
            lake.call(
                "create",
                columns=self.kind.columns,
                partition_keys=["day"],
                primary_keys=list(self.kind.keys),
                options=dict(self.kind.options),
            )

    def write(self, day: str, *, first: int = 0, rows: int = _ROWS, **arguments: Any) -> None:
        """Commit rows with these ids, and values that are not used twice, to both tables."""
        self.numbers[0] += 1
        columns = self.ours.call("columns")
        values = [_row(columns, number, day, self.numbers[0]) for number in range(first, first + rows)]
        for lake in (self.ours, self.twin):
            if self.pypaimon is None or arguments.keys() - {"overwrite"}:
                lake.write(values, buckets=self.kind.buckets, **arguments)
            else:
                self.pypaimon.do(lake, "write", columns=_for_arrow(columns), rows=values, **arguments)


RUN_ID: Final = "packhouse.run-id"
_ARROW: Final = {"BIGINT": "int64()", "INT": "int32()", "DOUBLE": "float64()", "STRING": "string()"}


def _for_arrow(columns: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return columns with types as pypaimon's process gets them."""
    return [(name, _ARROW[kind.split(" ", maxsplit=1)[0]]) for name, kind in columns]


def _row(columns: list[tuple[str, str]], number: int, day: str, turn: int) -> list[Any]:
    known = {"id": number, "day": day}
    makers = {"DOUBLE": lambda: turn + number / 100, "STRING": lambda: Random(number).randbytes(_TEXT_BYTES // 2).hex()}
    return [known[name] if name in known else makers.get(kind, lambda: turn)() for name, kind in columns]


def make_twins(folder: Path, core: PaimonCore, kind: Kind, pypaimon: PyPaimon | None = None) -> TwinLake:
    """Create a table of two partitions with one file of a bucket by each of four commits, and its twin."""
    numbers = [2 * _COMMITS]
    ours, twin = (
        made_once(core, folder / name, f"twin of {kind}", lambda lake: _fill(lake, kind, pypaimon))
        for name in ("warehouse", "twin")
    )
    return TwinLake(kind, ours, twin, numbers, pypaimon=pypaimon)


def _fill(lake: PaimonLake, kind: Kind, pypaimon: PyPaimon | None) -> None:
    made = TwinLake(kind, lake, replace(lake, root=lake.root.with_suffix(".twin")), pypaimon=pypaimon)
    made.create()
    for turn in range(_COMMITS):
        for day in DAYS:
            made.write(day, first=turn if kind.keys else turn * _ROWS)


async def rewritten_beside_a_twin(
    lake: PaimonLake, folder: Path, *, database_url: str, redis_url: str, begin: Callable[[], object] = lambda: None
) -> None:
    """Register a key table of a catalog, rewrite it after `begin`, and compare it with its twin."""
    twins = TwinLake(KINDS["key"], lake, PaimonLake(lake.core, folder / "twin"))
    twins.create()
    for turn in range(_COMMITS):
        twins.write(DAYS[0], first=turn)
    settings = settings_of(
        folder / "state", database_url=database_url, redis_url=redis_url, lease_seconds=30, watch=False
    )
    async with open_on(twins, settings, formats=served) as world:
        await world.set_policy(_POLICY)
        begin()
        run = await world.rewrite()
        assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 2), run.detail
    assert twins.rows() == twins.twin_rows()
    ids = sorted(each["id"] for each in lake.call("snapshots"))
    assert ids == list(range(1, len(ids) + 1))


def served(_locations: object) -> Mapping[FormatName, TableFormat]:
    """Serve Paimon tables, with the core in a child JVM of this process."""
    return {FormatName.PAIMON: PaimonFormat(core=local_core())}


@asynccontextmanager
async def open_twins(
    folder: Path,
    core: PaimonCore,
    kind: Kind,
    *,
    database_url: str,
    redis_url: str,
    pypaimon: PyPaimon | None = None,
    **more: Any,
) -> AsyncIterator[World[TwinLake]]:
    """Start a container on the given database and Redis with one registered table that has a twin."""
    lake = make_twins(folder, core, kind, pypaimon)
    settings = settings_of(
        folder / "state", database_url=database_url, redis_url=redis_url, lease_seconds=30, watch=False, **more
    )
    async with open_on(lake, settings, formats=served) as world:
        await world.set_policy(_POLICY)
        yield world
