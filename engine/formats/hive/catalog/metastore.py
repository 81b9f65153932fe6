"""Calls to a Hive Metastore by Thrift, each on a connection of its own."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

from hive_metastore.ttypes import (
    EnvironmentContext,
    InvalidOperationException,
    NoSuchObjectException,
    Partition,
    Table,
)
from thrift.transport.TTransport import TTransportException

from engine.formats.hive.catalog.roles import MOST_PARTITIONS, Databases, NotChanged, Unanswered
from engine.formats.intake.catalogs.metastores.sessions import MetastoreServers
from engine.formats.intake.errors import summary_of
from engine.formats.intake.limits import Malformed

_PAGE: Final = 1000
_COLUMNS_AT_ONCE: Final = 40_000
"""Columns of all partitions of a page: about 37 bytes of the answer and 225 bytes of memory each."""
_TABLES_AT_ONCE: Final = 100


@dataclass(frozen=True, slots=True)
class Metastore:
    """A Hive Metastore as `roles.HiveCatalog`. `files`: properties of file access.

    Every method raises `TException` and `OSError`; `asking_catalog` translates them.
    """

    servers: MetastoreServers
    address: str = ""
    files: Mapping[str, str] = field(default_factory=dict, repr=False)
    label: ClassVar[str] = "the Metastore"

    def storage(self) -> Mapping[str, str]:
        """Return the catalog's properties of file access."""
        return self.files

    def databases(self) -> Databases:
        """Return the names of the databases, in order."""
        with self.servers.session() as client:
            return Databases(sorted(client.get_all_databases()))

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

    def change_partition(self, database: str, name: str, changed: Partition, before: Partition) -> None:  # noqa: ARG002
        """Replace everything that the Metastore has of a partition, whatever that is by now; nothing is computed.

        Raises:
            NotChanged: it was dropped.
            Unanswered: no answer; the change may still happen later.
        """
        try:
            with self.servers.session() as client:
                client.alter_partition_with_environment_context(
                    database, name, changed, EnvironmentContext({"DO_NOT_UPDATE_STATS": "true"})
                )
        except InvalidOperationException as error:
            raise NotChanged(summary_of(error)) from error
        except (TTransportException, OSError) as error:
            raise Unanswered(summary_of(error)) from error

    def check_changes(self, database: str) -> None:
        """Return None: no call of a Metastore shows whether an entry may be changed."""
