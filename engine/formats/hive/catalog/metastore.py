"""Calls to a Hive Metastore by Thrift, each on a connection of its own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hive_metastore.ttypes import EnvironmentContext, NoSuchObjectException, Partition, Table

from engine.formats.intake.catalogs.metastores.sessions import MetastoreServers
from engine.formats.intake.limits import Malformed

MOST_PARTITIONS: Final = 1_000_000
"""Limit of the partitions of one table; the Metastore answers with about 1 KB for each."""

_PAGE: Final = 1000
_COLUMNS_AT_ONCE: Final = 40_000
"""Columns of all partitions of a page: about 37 bytes of the answer and 225 bytes of memory each."""
_TABLES_AT_ONCE: Final = 100


@dataclass(frozen=True, slots=True)
class Metastore:
    """The calls to a Metastore.

    Every method raises `TException` and `OSError`; `asking_metastore` translates them.
    """

    servers: MetastoreServers

    def databases(self) -> Sequence[str]:
        """Return the names of the databases, in order."""
        with self.servers.session() as client:
            return sorted(client.get_all_databases())

    def tables(self, database: str) -> Iterator[Table]:
        """Yield the tables of a database by name, as far as they still exist; none if it was dropped."""
        with self.servers.session() as client:
            names = sorted(client.get_all_tables(database))
            for start in range(0, len(names), _TABLES_AT_ONCE):
                found = client.get_table_objects_by_name(database, names[start : start + _TABLES_AT_ONCE])
                yield from sorted(found, key=lambda each: str(each.tableName))

    def table(self, database: str, name: str) -> Table | None:
        """Return a table, None if there is none."""
        with self.servers.session() as client:
            try:
                return client.get_table(database, name)
            except NoSuchObjectException:
                return None

    def partitions(self, database: str, name: str, columns: int = 0) -> Iterator[Partition]:
        """Yield the partitions of a table, in pages; one that is dropped meanwhile may be missing.

        Each has a copy of all the columns of the table, whose number makes pages smaller.

        Raises:
            Malformed: there are more than `MOST_PARTITIONS`, or more than were asked for.
        """
        with self.servers.session() as client:
            names = client.get_partition_names(database, name, -1)
            if len(names) > MOST_PARTITIONS:
                raise Malformed(f"it has {len(names)} partitions; the limit is {MOST_PARTITIONS}")
            page = max(1, min(_PAGE, _COLUMNS_AT_ONCE // max(1, columns)))
            for start in range(0, len(names), page):
                found = client.get_partitions_by_names(database, name, names[start : start + page])
                if len(found) > page:
                    raise Malformed(f"the Metastore answered with {len(found)} partitions of {page}")
                yield from found

    def partition(self, database: str, name: str, values: Sequence[str]) -> Partition | None:
        """Return one partition by the texts of its keys, None if there is none."""
        with self.servers.session() as client:
            try:
                return client.get_partition(database, name, list(values))
            except NoSuchObjectException:
                return None

    def change_partition(self, database: str, name: str, changed: Partition) -> None:
        """Replace everything that the Metastore has of a partition, whatever that is by now; nothing is computed.

        Raises:
            InvalidOperationException: it was dropped.
            TTransportException: no answer; the change may still happen later.
        """
        with self.servers.session() as client:
            client.alter_partition_with_environment_context(
                database, name, changed, EnvironmentContext({"DO_NOT_UPDATE_STATS": "true"})
            )
