"""Tables of a Hive catalog: entries of a Hive Metastore, each of which states where its table is.

An entry is of a Paimon table by the classes of its storage, as in Paimon 1.4 (`HiveCatalog.isPaimonTable`). Views,
format tables and tables of other formats in the same Metastore are left out. Entries are not trusted: their locations
are checked by the caller.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hive_metastore.ttypes import NoSuchObjectException

from engine.domain.errors import StateConflict
from engine.domain.tables.table import TableRef
from engine.formats.base import IsWanted, TableListing
from engine.formats.intake.catalogs.metastores.errors import asking_metastore
from engine.formats.intake.catalogs.metastores.sessions import MetastoreServers
from engine.formats.intake.errors import printable
from engine.formats.paimon.catalog.warehouse import is_folder
from engine.rewriting.kernel.storage.abandoned import stop_if_abandoned

MOST_TABLES: Final = 100_000
"""Entries of one database that are listed."""

_AT_ONCE: Final = 100
_LONGEST: Final = 2000
_CLASSES: Final = (
    "org.apache.paimon.hive.mapred.PaimonInputFormat",
    "org.apache.paimon.hive.mapred.PaimonOutputFormat",
)
_LOCATION: Final = "paimon_location"
"""Paimon's parameter of an entry for its location, with `location-in-properties`."""
_VIEWS: Final = ("VIRTUAL_VIEW", "MATERIALIZED_VIEW")
_FILES: Final = ("parquet", "orc", "text", "csv", "json")
"""Formats of the files of format tables, as parts of the names of their classes."""


@dataclass(frozen=True, slots=True)
class HiveWarehouse:
    """The Paimon tables of a Metastore. `in_parameters`: whether parameters of entries state the locations.

    Every method raises:
        StateConflict: the Metastore refuses the user or the call, or the settings of the connection are wrong.
        Away: it does not answer.
        Transient: it answers with an error.
    """

    servers: MetastoreServers
    in_parameters: bool = False

    def databases(self) -> Sequence[str]:
        """Return the names of the databases, in order."""
        with asking_metastore("list the databases"), self.servers.session() as client:
            return sorted({name for name in map(str, client.get_all_databases()) if is_folder(name)})

    def tables(self, limit: int, is_wanted: IsWanted) -> TableListing:
        """Return the addresses of the tables in the accepted databases, ordered, at most `limit`."""
        found = list[tuple[str, ...]]()
        for database in filter(lambda name: is_wanted([name]), self.databases()):
            with asking_metastore("list the tables"), self.servers.session() as client:
                names = sorted({name for name in map(str, client.get_all_tables(database)) if is_folder(name)})
                if len(names) > MOST_TABLES:
                    raise StateConflict(f"database {database[:200]} has more than {MOST_TABLES} tables")
                for each in _entries(client, database, names):
                    found += [(database, str(each.tableName))] if _is_of_paimon(each) else []
                    if len(found) > limit:
                        return TableListing(tuple(found[:limit]), True)
        return TableListing(tuple(found), False)

    def locations(self, refs: Sequence[TableRef]) -> Mapping[TableRef, str]:
        """Return the locations of those tables that the catalog has, by a call for 100 tables of a database."""
        found = dict[TableRef, str]()
        with asking_metastore("read the entries of tables"), self.servers.session() as client:
            for database in sorted({ref.namespace[0] for ref in refs if len(ref.namespace) == 1}):
                wanted = {ref.name: ref for ref in refs if ref.namespace == (database,)}
                for each in _entries(client, database, sorted(wanted)):
                    ref, location = wanted.get(str(each.tableName)), self._location(each)
                    if ref is not None and str(each.dbName) == database and _is_of_paimon(each) and location:
                        found[ref] = location
        return found

    def lacking(self, ref: TableRef) -> str:
        """Return, as a clause, why a table is missing in `locations`."""
        with asking_metastore(f"look for the entry of {ref}"), self.servers.session() as client:
            found = list(_entries(client, ref.namespace[0], [ref.name])) if len(ref.namespace) == 1 else []
        if not found:
            return "the Metastore has no table of this name"
        entry = found[0]
        if (str(entry.dbName), str(entry.tableName)) != (*ref.namespace, ref.name):
            return f"the Metastore has it as {printable(f'{entry.dbName}.{entry.tableName}'[:200])}"
        if not _is_of_paimon(entry):
            return f"the Metastore has it as {_kind_of(entry)}: its files are not those of a Paimon table"
        return "its entry in the Metastore has no location, or one that can't be read"

    def advice(self, location: str) -> str:
        """Return what may be wrong if there is no table at the location that its entry states."""
        other = "false" if self.in_parameters else "true"
        return f"the Metastore has it at {location}; writers with location-in-properties={other} have it elsewhere"

    def _location(self, entry: Any) -> str | None:
        """Return the location that an entry states, None for a text that can't be one."""
        stated = (entry.parameters or {}).get(_LOCATION) if self.in_parameters else None
        stated = stated or (entry.sd and entry.sd.location)
        if not isinstance(stated, str) or not stated.isprintable() or len(stated) > _LONGEST:
            return None
        return stated.rstrip("/") or None


def _entries(client: Any, database: str, names: Sequence[str]) -> Iterator[Any]:
    """Yield the entries that exist of some names of a database, in their order."""
    for start in range(0, len(names), _AT_ONCE):
        stop_if_abandoned()
        try:
            found = client.get_table_objects_by_name(database, list(names[start : start + _AT_ONCE]))
        except NoSuchObjectException:  # the database was dropped
            return
        yield from sorted(found, key=lambda each: str(each.tableName))


def _is_of_paimon(entry: Any) -> bool:
    return entry.sd is not None and (entry.sd.inputFormat, entry.sd.outputFormat) == _CLASSES


def _kind_of(entry: Any) -> str:
    """Return what an entry that is not of a Paimon table is, in words."""
    if entry.tableType in _VIEWS:
        return "a view"
    if other := str((entry.parameters or {}).get("table_type", "")).lower():
        return f"a table of type {printable(other[:40])}"
    classes = (
        "" if entry.sd is None else f"{entry.sd.inputFormat} {getattr(entry.sd.serdeInfo, 'serializationLib', '')}"
    )
    kind = next((each for each in _FILES if each in classes.lower()), "another kind of")
    return f"a table of {kind} files"
