"""SQL catalogs: one row for each table, which a commit updates only if it still has the expected location."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from pyiceberg.catalog.sql import IcebergTables, SqlCatalog
from pyiceberg.exceptions import CommitFailedException, NoSuchTableError
from pyiceberg.table import StagedTable, Table
from pyiceberg.typedef import Identifier
from sqlalchemy import false, update

from engine.formats.iceberg.catalog.stored.pointers import Replace, StoredPointers
from engine.formats.intake.catalogs.databases import ANSWER_SECONDS, with_time_limit
from engine.outgoing.bounds import CheckLocation, CheckPeer, any_peer, anywhere
from engine.rewriting.kernel.storage.abandoned import stop_if_abandoned
from engine.sql.addresses import check_servers
from engine.sql.answers import limit_answers

_NAMES: Final = "SELECT DISTINCT catalog_name FROM iceberg_tables ORDER BY catalog_name LIMIT 6"


class GuardedSqlCatalog(StoredPointers, SqlCatalog):
    """A SQL catalog that reads and writes metadata only in allowed locations, using only its own properties."""

    def __init__(self, name: str, *, check_peer: CheckPeer = any_peer, **properties: str) -> None:
        self._check_peer = check_peer
        super().__init__(name, **properties)

    def _init_catalog(self) -> None:
        """Read the version of the catalog's tables, over connections to allowed servers only."""
        check_servers(self.engine, self._check_peer)
        limit_answers(self.engine, seconds=ANSWER_SECONDS, check=stop_if_abandoned)
        super()._init_catalog()

    def other_names(self) -> list[str]:
        """Return the first few names of catalogs that have tables in the same database."""
        with self.engine.connect() as connection:
            return [name for (name,) in connection.exec_driver_sql(_NAMES) if name != self.name]

    def locations(self, tables: Collection[Identifier]) -> Mapping[Identifier, str]:
        """Return the locations of metadata files, by one query for all tables."""
        wanted = {(self.namespace_to_string(each[:-1]), each[-1]): each for each in tables}
        column = IcebergTables.__table__.c
        query = IcebergTables.__table__.select().with_only_columns(
            column.table_namespace, column.table_name, column.metadata_location
        )
        query = query.where(
            column.catalog_name == self.name,
            column.table_namespace.in_(sorted({namespace for namespace, _ in wanted})),
            column.table_name.in_(sorted({name for _, name in wanted})),
        )
        with self.engine.connect() as connection:
            rows = connection.execute(query).all()
        return {wanted[row[0], row[1]]: row[2] for row in rows if (row[0], row[1]) in wanted and row[2]}

    def replaceable(self, identifier: Identifier) -> tuple[Table, Replace]:
        """Return a table; its row is changed only if it still names the same metadata file."""
        namespace, name = self.namespace_to_string(self.namespace_from(identifier)), self.table_name_from(identifier)
        current = self.load_table(identifier)
        before = current.metadata_location

        def replace(staged: StagedTable) -> None:
            changed = update(IcebergTables).where(
                IcebergTables.catalog_name == self.name,
                IcebergTables.table_namespace == namespace,
                IcebergTables.table_name == name,
                IcebergTables.metadata_location == before,
            )
            named = {"metadata_location": staged.metadata_location, "previous_metadata_location": before}
            with self.engine.begin() as connection:
                if connection.execute(changed.values(**named)).rowcount < 1:
                    raise CommitFailedException(f"another commit changed {namespace}.{name}")

        return current, replace

    def check_writing(self, table: Table) -> str:  # noqa: ARG002 - all tables are rows of one
        """Check the right to commit with an update of no row. Raises the driver's errors, as every query does."""
        nothing = update(IcebergTables).where(false()).values(metadata_location=IcebergTables.metadata_location)
        with self.engine.begin() as connection:
            connection.execute(nothing)
        return "the user may change tables"

    def _convert_orm_to_iceberg(self, orm_table: Any) -> Table:
        location = orm_table.metadata_location
        if not location:
            raise NoSuchTableError(f"{orm_table.table_namespace}.{orm_table.table_name} has no metadata location")
        return self.read_table((*self.identifier_to_tuple(orm_table.table_namespace), orm_table.table_name), location)


def open_sql_catalog(
    name: str, properties: dict[str, str], *, check_location: CheckLocation = anywhere, check_peer: CheckPeer = any_peer
) -> GuardedSqlCatalog:
    """Open a catalog in a database, where no tables are created; blocks on it."""
    own = {"init_catalog_tables": "false", **properties, "uri": with_time_limit(properties["uri"])}
    catalog = GuardedSqlCatalog(name, check_peer=check_peer, **own)
    catalog.check_location = check_location
    # created while the database is away, it would guess its schema version: query it once to fail in that case
    catalog.list_namespaces()
    return catalog
