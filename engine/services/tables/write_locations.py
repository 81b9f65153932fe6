"""Folders for the files of a partition while a rewrite replaces its folder.

A writer puts its file into each named folder, the current one first, and asks again with the name of the file, until
the current folder has it. The catalog is asked each time: no stored location is ever named as the current one.
"""

from dataclasses import dataclass
from enum import StrEnum

from engine.domain.access.callers import Caller
from engine.domain.errors import NotEligible
from engine.domain.ids import RunId, TableId
from engine.domain.tables.write_locations import NamedFile, WriteLocations
from engine.formats.base import OpenTable, WriteGuide
from engine.services.catalogs.registered import open_registered, read_registered
from engine.services.catalogs.table_access import TableAccess
from engine.stores.database import Database


class WriteState(StrEnum):
    """Whether a rewrite of the partition is under way."""

    STEADY = "steady"
    REWRITING = "rewriting"


@dataclass(frozen=True, slots=True)
class WriteAnswer:
    """The folders to write a file to. `run_id`: the live run that rewrites the partition, None without one."""

    partition: str
    file: NamedFile
    found: WriteLocations
    run_id: RunId | None

    @property
    def state(self) -> WriteState:
        """Whether a rewrite of the partition is under way."""
        return WriteState.STEADY if self.run_id is None else WriteState.REWRITING


class WriteLocationService:
    """Returns the folders that writers put a file into."""

    def __init__(self, *, database: Database, formats: TableAccess) -> None:
        self._database = database
        self._formats = formats

    async def locate(self, caller: Caller, table_id: TableId, partition: str, file_name: str | None) -> WriteAnswer:
        """Return the folders of a partition to write a file to; without a name, the file gets a new one.

        Raises:
            InvalidInput: the partition is not one of the table's keys, or the name is not valid.
            NotEligible: writers of this format commit their files, or a rewrite never moves the partition.
            NotFound: no such table or partition.
            TableReplaced, StateConflict, Transient: see `services.catalogs.registered`.
        """
        async with self._database.read() as unit:
            table, catalog = await read_registered(unit, table_id, caller)
        opened = await open_registered(self._formats, catalog, table, lists_files=False)
        guide = _guide_of(opened)
        file, name = guide.written_file(file_name), guide.partition_name(partition)
        async with self._database.read() as unit:  # before the catalog: a folder that is in place by then is not next
            place = (opened.current_spec_id, name)
            groups = await unit.partition_tasks.open_groups(table_id, place, file.name)
        found = await self._formats.read(opened.ref, guide.write_locations, name, file, groups)
        return WriteAnswer(name, file, found, groups[-1].run_id if groups else None)


def _guide_of(table: OpenTable) -> WriteGuide:
    if table.write_guide is None:
        raise NotEligible(
            f"{table.ref}: writers of this format commit their files to the table, and a rewrite never moves a folder; "
            "write with any engine of the format"
        )
    return table.write_guide
