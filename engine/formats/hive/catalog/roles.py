"""The role of a catalog of Hive-style tables: a Hive Metastore, or one with its data model.

Entries are those of a Metastore (`hive_metastore.ttypes`), whatever the catalog: they are what Hive, Spark and Athena
read, and the checks of tables and partitions go by them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from hive_metastore.ttypes import Partition, Table

MOST_PARTITIONS: Final = 1_000_000
"""Limit of the partitions of one table; a catalog answers with about 1 KB for each."""


class NotChanged(Exception):
    """The catalog did not change a partition: it was dropped, or has another entry than the expected one."""


class Unanswered(Exception):
    """The catalog did not answer a change: it may have happened, or still happen."""


@dataclass(frozen=True, slots=True)
class Databases:
    """Names of databases, in order. `others`: those that only lead to another catalog, whose tables are not listed."""

    names: Sequence[str]
    others: Sequence[str] = ()


class HiveCatalog(Protocol):
    """A catalog of Hive-style tables.

    Methods raise `PackhouseError`, `TException`, `OSError` and `Malformed`; `hive.errors` translates them.
    """

    @property
    def label(self) -> str:
        """Its name in messages."""

    @property
    def address(self) -> str:
        """Its address in messages, without secrets."""

    def storage(self) -> Mapping[str, str]:
        """Return the properties of access to tables' files, with credentials that are valid now."""

    def databases(self) -> Databases:
        """Return the databases."""

    def tables(self, database: str) -> Iterator[Table]:
        """Yield the tables of a database, as far as they still exist; none if it was dropped."""

    def table(self, database: str, name: str) -> Table | None:
        """Return a table, None if there is none.

        Raises:
            Unsupported: the entry only leads to a table of another catalog.
        """

    def partitions(self, database: str, name: str, columns: int = 0) -> Iterator[Partition]:
        """Yield the partitions of a table, in pages; one that is dropped meanwhile may be missing.

        `columns`: number of the table's columns, of which each partition may have a copy.

        Raises:
            Malformed: there are more than `MOST_PARTITIONS`, or more than were asked for.
        """

    def partition(self, database: str, name: str, values: Sequence[str]) -> Partition | None:
        """Return one partition by the texts of its keys, None if there is none."""

    def change_partition(self, database: str, name: str, changed: Partition, before: Partition) -> None:
        """Give a partition another location and other parameters; everything else of its entry stays as it is.

        Args:
            database: name of the database.
            name: name of the table.
            changed: the entry to be, a copy of the present one with these changes.
            before: the present entry, which was looked at a moment ago.

        Raises:
            NotChanged: it was dropped or, as far as the catalog shows, changed.
            Unanswered: the change may still happen.
            PackhouseError: it certainly did not and will not happen.
        """

    def check_changes(self, database: str) -> str | None:
        """Check the right to change partitions without a change; return the finding, None if no request shows it.

        Raises:
            StateConflict: the catalog's credentials may not.
        """
