"""Tables in a warehouse, written by Paimon's core and opened by the reader."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.domain.tables.table import TableRef
from engine.formats.paimon import PaimonFormat, PaimonTable
from tests.support.paimon.core import PaimonCore

COLUMNS = [("id", "BIGINT NOT NULL"), ("day", "STRING NOT NULL"), ("value", "DOUBLE")]


@dataclass(frozen=True)
class PaimonLake:
    """One table of the database `lake`."""

    core: PaimonCore
    root: Path
    name: str = "events"

    @property
    def folder(self) -> Path:
        return self.root / "lake.db" / self.name

    @property
    def ref(self) -> TableRef:
        return TableRef("lake", ("lake",), self.name)

    @property
    def properties(self) -> Mapping[str, str]:
        return {"type": "filesystem", "warehouse": str(self.root)}

    def create(
        self,
        columns: Sequence[tuple[str, str]] = COLUMNS,
        *,
        partition_keys: Sequence[str] = (),
        primary_keys: Sequence[str] = (),
        **options: str,
    ) -> "PaimonLake":
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
        return self.core.call(name, warehouse=str(self.root), table=self.name, **arguments)

    def write(self, rows: Sequence[Sequence[Any]], **arguments: Any) -> None:
        self.call("write", rows=[list(row) for row in rows], **arguments)

    def open(self) -> PaimonTable:
        return PaimonFormat().connect("lake", self.properties).open_table(self.ref)
