"""What catalogs point to: asked for many tables at once, and different after every commit."""

from collections.abc import Iterator

import pytest
from sqlalchemy import event

from engine.domain.errors import Transient
from engine.domain.tables.table import TableRef
from engine.formats.iceberg import IcebergConnection, IcebergFormat
from tests.support.iceberg_tables import SCHEMA, Lake, append_files
from tests.support.rest_catalog import RestCatalogServer

ORDERS = TableRef("lake", ("sales",), "orders")
GONE = TableRef("lake", ("sales",), "gone")
NOWHERE = TableRef("lake", ("nowhere",), "orders")


@pytest.fixture(params=["sql", "rest"])
def connection(request: pytest.FixtureRequest, lake: Lake) -> Iterator[IcebergConnection]:
    """The lake's catalog, as it is and over HTTP."""
    append_files(lake.create(), 1)
    if request.param == "sql":
        yield lake.connection
        return
    with RestCatalogServer(catalog=lake.catalog).running() as server:
        made = IcebergFormat().connect("rest", {"type": "rest", "uri": server.uri})
        yield made
        made.close()


def test_a_pointer_stays_until_something_is_committed(connection: IcebergConnection, lake: Lake):
    before = connection.pointers([ORDERS])
    assert connection.pointers([ORDERS]) == before
    append_files(lake.load(), 1, first=100)
    after = connection.pointers([ORDERS])
    assert list(after) == [ORDERS]
    assert after != before


def test_tables_that_are_not_there_are_left_out(connection: IcebergConnection):
    assert list(connection.pointers([GONE, ORDERS, NOWHERE])) == [ORDERS]
    assert connection.pointers([GONE]) == {}


def test_a_sql_catalog_is_asked_once_for_all_tables(lake: Lake):
    lake.create()
    names = [f"t{number}" for number in range(30)]
    for name in names:
        lake.catalog.create_table(("sales", name), SCHEMA)
    refs = [TableRef("lake", ("sales",), name) for name in names]
    lake.connection.pointers(refs[:1])  # opens the catalog
    statements: list[str] = []
    engine = lake.connection._open().engine  # type: ignore[attr-defined]
    event.listen(engine, "before_cursor_execute", lambda _c, _u, statement, *_: statements.append(statement))
    assert set(lake.connection.pointers(refs)) == set(refs)
    assert len(statements) == 1


def test_a_catalog_that_is_away_is_told_from_tables_that_are(lake: Lake):
    with RestCatalogServer(catalog=lake.catalog).running() as server:
        connection = IcebergFormat().connect("rest", {"type": "rest", "uri": server.uri})
        assert connection.pointers([GONE]) == {}
    with pytest.raises(Transient):
        connection.pointers([GONE])
