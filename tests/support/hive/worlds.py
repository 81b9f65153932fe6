"""Whole runs on a Hive table."""

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from engine.domain.tables.table import FormatName, TableRef
from engine.formats.base import TableFormat
from engine.formats.hive import HiveFormat, HiveTable
from tests.support.hive.glue_metastores import resolved
from tests.support.hive.lakes import HiveLake, files_in, path_of
from tests.support.hive.lakes import HiveTable as Stored
from tests.support.settings import settings_of
from tests.support.world import World, open_on

MANY_DAYS = tuple(f"2026-11-{number:02}" for number in range(1, 8))
DAYS = MANY_DAYS[:2]
STEPS = ("planned", "group_written", "before_commit", "commit_made", "commit_marked", "after_commit", "verified")
"""Steps of a rewrite: the first once, the others once for each partition, in the order of the partitions."""


@dataclass
class WrittenTable:
    """A table, and the ids that its writers have put into each partition."""

    table: Stored
    uri: str
    expected: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    numbers: list[int] = field(default_factory=lambda: [0])

    format: ClassVar[FormatName] = FormatName.HIVE

    @property
    def properties(self) -> Mapping[str, str]:
        return {**self.table.metastore.properties, **({"uri": self.uri} if self.uri else {})}

    @property
    def uuid(self) -> str:
        return self.open().uuid

    def open(self) -> HiveTable:
        """Load it."""
        ref = TableRef("lake", (self.table.database,), self.table.name)
        return HiveFormat(pause=0).connect("lake", resolved(self.table.metastore.properties)).open_table(ref)

    def rows(self) -> list[Any]:
        return sorted((str(row["day"]), row["id"]) for row in self.table.rows())

    def wanted(self) -> list[Any]:
        """The rows that readers must find."""
        return sorted((day, number) for day, ids in self.expected.items() for number in ids)

    def create_partitions(self, days: Sequence[str], *, files: int) -> None:
        """Add partitions with this number of files each."""
        self.table.create_partitions({day: [self._rows(day, 20) for _ in range(files)] for day in days})

    def append(self, day: str, rows: int = 20) -> None:
        """Add a file where the Metastore has the partition."""
        self.table.append([day], self._rows(day, rows))

    def overwrite(self, day: str) -> None:
        """Replace the rows of a partition in its folder."""
        self.expected[day].clear()
        self.table.overwrite([day], self._rows(day, 7))

    def drop(self, day: str) -> None:
        """Drop a partition and keep its files."""
        self.expected[day].clear()
        self.table.drop_partition([day])

    def move(self, day: str) -> None:
        """Replace a partition by new rows in another folder."""
        self.expected[day].clear()
        folder = self.table.folder.parent / "events" / f"moved-{self.numbers[0]}"
        self.table.write_file(folder, self._rows(day, 9))
        self.table.set_location([day], folder)

    def truncate(self, day: str) -> None:
        """Delete the files of a partition."""
        self.expected[day].clear()
        for each in self.files(day):
            each.unlink()

    def rewrite_file(self, day: str) -> None:
        """Replace the only file of a partition by another one of the same name."""
        (file,) = self.files(day)
        self.expected[day] = [7]
        self.table.write_file(file.parent / ".new", [{"id": 7, "value": 0.5}]).replace(file)

    def files(self, day: str) -> list[Path]:
        """Return the data files of a partition."""
        found = self.table.partition([day])
        assert found is not None
        return files_in(path_of(found.sd.location))

    def locations(self) -> Sequence[str]:
        """The folders of the partitions, by name."""
        return [each.sd.location for each in self.table.partitions()]

    def _rows(self, day: str, count: int) -> list[dict[str, Any]]:
        ids = range(self.numbers[0], self.numbers[0] + count)
        self.numbers[0] += count
        self.expected[day] += ids
        return [{"id": number, "value": number / 2} for number in ids]


Written = TypeVar("Written", bound=WrittenTable)


@asynccontextmanager
async def open_written(
    lake: HiveLake,
    folder: Path,
    *,
    database_url: str,
    redis_url: str,
    uri: str | None = None,
    days: Sequence[str] = DAYS,
) -> AsyncIterator[World[WrittenTable]]:
    """Start a container with one registered table, whose partitions have four files each."""
    written = WrittenTable(lake.create_table(keys=[("day", "string")]), uri or lake.metastore.uri)
    written.create_partitions(days, files=4)
    async with open_table(written, folder, database_url=database_url, redis_url=redis_url) as world:
        yield world


@asynccontextmanager
async def open_table(
    written: Written, folder: Path, *, database_url: str, redis_url: str, **rewrite: Any
) -> AsyncIterator[World[Written]]:
    """Start a container with a registered table, whose partitions are rewritten from two files on.

    `rewrite`: further settings of the policy's section.
    """
    settings = settings_of(
        folder / "state", database_url=database_url, redis_url=redis_url, lease_seconds=30, watch=False
    )
    async with open_on(written, settings, formats=served) as world:
        await world.set_policy(
            {
                "rewrite": {"min_input_files": 2, **rewrite},
                "maintenance": {"delete_old_compactions": {"grace": "1h", "interval": "1h"}},
            }
        )
        yield world


def at_steps(world: World[WrittenTable], acts: Iterable[tuple[str, Callable[[], object]]]) -> None:
    """Run an action of each partition, in their order, when the partition comes to the action's step."""
    for step, act in acts:
        for each in STEPS:
            world.at(each, partial(_run, act if each == step else None))


def _run(act: Callable[[], object] | None) -> None:
    if act is not None:
        act()


def served(_locations: object) -> Mapping[FormatName, TableFormat]:
    """Serve Hive tables, whose files are listed as often as asked."""
    return {FormatName.HIVE: HiveFormat(pause=0)}


def differences(found: Sequence[Any], wanted: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return rows that are too many, and rows that are missing."""
    have, want = Counter(found), Counter(wanted)
    return sorted((have - want).elements()), sorted((want - have).elements())
