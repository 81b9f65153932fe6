"""Tables in a warehouse, written by Paimon's core and opened by the reader."""

import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

from engine.domain.tables.table import TableRef
from engine.formats.paimon.connection import PaimonFormat
from engine.formats.paimon.table import PaimonTable
from tests.support.paimon.core import PaimonCore

COLUMNS = [("id", "BIGINT NOT NULL"), ("day", "STRING NOT NULL"), ("value", "DOUBLE")]


class CoreTable(ABC):
    """One table of the database `lake`, in a warehouse that the core reaches."""

    core: PaimonCore
    name: str

    @property
    @abstractmethod
    def warehouse(self) -> str:
        """The folder of the databases."""

    @property
    def ref(self) -> TableRef:
        return TableRef("lake", ("lake",), self.name)

    def create(
        self,
        columns: Sequence[tuple[str, str]] = COLUMNS,
        *,
        partition_keys: Sequence[str] = (),
        primary_keys: Sequence[str] = (),
        **options: str,
    ) -> Self:
        """Create the table; underscores in names of options are dashes, two of them dots."""
        self.call(
            "create",
            columns=list(columns),
            partition_keys=list(partition_keys),
            primary_keys=list(primary_keys),
            options={name.replace("__", ".").replace("_", "-"): value for name, value in options.items()},
        )
        return self

    def call(self, name: str, /, **arguments: Any) -> Any:
        return self.core.call(name, warehouse=self.warehouse, table=self.name, **arguments)

    def write(self, rows: Sequence[Sequence[Any]], **arguments: Any) -> None:
        self.call("write", rows=[list(row) for row in rows], **arguments)


@dataclass(frozen=True)
class PaimonLake(CoreTable):
    """A table on this machine's disk."""

    core: PaimonCore
    root: Path
    name: str = "events"

    @property
    def warehouse(self) -> str:
        return str(self.root)

    @property
    def folder(self) -> Path:
        return self.root / "lake.db" / self.name

    @property
    def properties(self) -> Mapping[str, str]:
        return {"type": "filesystem", "warehouse": str(self.root)}

    def copied(self, root: Path) -> Self:
        """Copy the warehouse with the times of its files: metadata has no absolute paths."""
        shutil.copytree(self.root, root)
        return replace(self, root=root)

    def open(self) -> PaimonTable:
        return PaimonFormat().connect("lake", self.properties).open_table(self.ref)

    def write_and_compact(self, commits: int = 3, *, day: str = "a") -> None:
        """Commit five rows at a time, and compact them by the core in a snapshot of its own."""
        for number in range(commits):
            self.write([[each, day, float(number)] for each in range(5)])
            self.compact()

    def compact(self) -> None:
        """Compact all buckets of a key table by the core."""
        self.call("compact", full=True, options={"write-only": "false"})


@dataclass(frozen=True)
class LockingLake(PaimonLake, ABC):
    """A table of a catalog whose lock writers take."""

    @abstractmethod
    def connect(self) -> Self:
        """Let the core open the catalog."""

    def create(self, *given: Any, **named: Any) -> Self:
        """Create the table in the catalog; see `PaimonLake.create`."""
        self.connect()
        return super().create(*given, **named)

    @abstractmethod
    def lock(self) -> bool:
        """Try once to take the table's lock, as a writer does."""

    @abstractmethod
    def unlock(self) -> None:
        """Release the table's lock."""

    @abstractmethod
    def held_lock(self) -> object | None:
        """Return what the catalog knows of the table's lock; None if it is free."""


def made_once(core: PaimonCore, root: Path, key: str, make: Callable[[PaimonLake], object]) -> PaimonLake:
    """Copy a table to a warehouse; the session makes it at the first call with this key."""
    made = PaimonLake(core, core.folder / sha256(key.encode()).hexdigest())
    if not made.root.exists():
        begun = replace(made, root=made.root.with_suffix(".begun"))
        make(begun)
        begun.root.rename(made.root)
    return made.copied(root)
