"""The format and its catalogs: a root folder with one folder a namespace and one in it a table."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.domain.errors import FieldProblem, InvalidInput, NotFound
from engine.domain.runs.run import Operation
from engine.domain.tables.capabilities import POSSIBLE, STRATEGIES, Capabilities, impossible
from engine.domain.tables.table import FormatName, TableRef
from engine.formats.base import (
    OWN_LOCATION,
    CheckStep,
    FileScope,
    IsWanted,
    PlainProperties,
    TableListing,
    every_namespace,
)
from tests.support.plain.table import PlainTable
from tests.support.plain.versions import VersionLog

SERVED_AS = FormatName.HIVE
"""The name of the plain format in the tests' wiring, as no name is free."""


_ORDERS = {"sort", "zorder", "hilbert"}
_NO_ORDER = impossible("plain tables have no order of rows")


class PlainFormat:
    """Opens folders as catalogs."""

    def capabilities(self) -> Capabilities:
        return Capabilities.declared(
            SERVED_AS,
            operations={
                each: impossible("plain tables have rewrites only") for each in Operation if each != Operation.REWRITE
            },
            rewrites={(each, "arrow"): _NO_ORDER if each in _ORDERS else POSSIBLE for each in STRATEGIES}
            | {(each, "native"): impossible("plain tables have no procedure of their own") for each in STRATEGIES},
            settings={"maintenance.expire_snapshots": {"*": "has no history"}},
        )

    def plain_properties(self) -> PlainProperties:
        return PlainProperties(frozenset({"root"}))

    def validate(self, properties: Mapping[str, str]) -> None:
        if not properties.get("root"):
            problem = FieldProblem("/properties/root", "is missing", None, "give the folder of the tables")
            raise InvalidInput("these properties can't make a plain catalog", problems=(problem,))

    def connect(self, name: str, properties: Mapping[str, str]) -> "PlainConnection":
        self.validate(properties)
        return PlainConnection(Path(properties["root"]))


class PlainConnection:
    """An open root folder."""

    has_all_pointers = False

    def expect_changes(self, refs: Sequence[TableRef]) -> None:
        """Each call asks."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def ping(self) -> None:
        self._root.stat()

    def check(self) -> Sequence[CheckStep]:
        found = len(self.list_tables(10).identifiers)
        return [CheckStep("list_tables", self._root.is_dir(), f"{found} tables below {self._root}")]

    def list_tables(self, limit: int, is_wanted: IsWanted = every_namespace) -> TableListing:
        found = sorted(path.parent.relative_to(self._root).parts for path in self._root.glob("*/*/table.json"))
        wanted = [parts for parts in found if is_wanted(parts[:-1])]
        return TableListing(tuple(wanted[:limit]), len(wanted) > limit)

    def pointers(self, refs: Sequence[TableRef]) -> Mapping[TableRef, str]:
        logs = {ref: self._log(ref) for ref in refs}
        return {ref: str(log.newest()) for ref, log in logs.items() if (log.folder / "table.json").exists()}

    def open_table(self, ref: TableRef, scope: FileScope = OWN_LOCATION) -> PlainTable:
        log = self._log(ref)
        try:
            return PlainTable(ref, log)
        except FileNotFoundError as error:
            raise NotFound(f"no table {ref}") from error

    open_entry = open_table

    def _log(self, ref: TableRef) -> VersionLog:
        return VersionLog(self._root.joinpath(*ref.namespace, ref.name))
