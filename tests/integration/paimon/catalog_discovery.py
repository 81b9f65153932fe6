"""Tables of a catalog that names them, as JDBC, Hive and REST catalogs do."""

from typing import TypeVar

import pytest

from engine.domain.errors import Away, NotFound
from engine.domain.tables.table import TableRef
from engine.formats.paimon.connection import PaimonConnection, PaimonFormat
from tests.support.paimon.lakes import PaimonLake

OneLake = TypeVar("OneLake", bound=PaimonLake)


def connected(lake: PaimonLake, **properties: str) -> PaimonConnection:
    return PaimonFormat().connect("lake", {**lake.properties, **properties})


def filled(lake: OneLake) -> OneLake:
    """Create a table of one partition with three files."""
    lake.create(partition_keys=["day"])
    for number in range(3):
        lake.write([[number, "a", 1.5]])
    return lake


def check_away(connection: PaimonConnection, ref: TableRef) -> None:
    """Check that every step waits for the catalog, without its secrets in a message."""
    for call in (
        connection.ping,
        lambda: connection.list_tables(5),
        lambda: connection.pointers([ref]),
        lambda: connection.open_table(ref),
    ):
        with pytest.raises(Away) as failure:
            call()
        assert not any(each in failure.value.message for each in ("hidden", "s3cret"))
    assert [step.ok for step in connection.check()] == [False]


class CatalogDiscovery:
    """What holds in all; `lake` is a table with three files."""

    def test_a_table_is_listed_and_read(self, lake: PaimonLake) -> None:
        connection = connected(lake)
        connection.ping()
        assert connection.list_tables(5).identifiers == (("lake", "events"),)
        table = connection.open_table(lake.ref)
        assert connection.pointers([lake.ref]) == {lake.ref: table.pointer}
        assert (table.digest().num_rows, table.location.removeprefix("file:")) == (3, str(lake.folder))
        steps = connection.check()
        assert [step.ok for step in steps[:3]] == [True, True, True]
        details = [step.detail.partition(" at ")[0] for step in steps[1:3]]
        assert details == ["1 tables (lake.events)", "lake.events: snapshot 3"]

    def test_a_table_that_is_dropped_while_it_is_open_is_gone(self, lake: PaimonLake) -> None:
        table = connected(lake).open_table(lake.ref)
        lake.call("drop")
        with pytest.raises(NotFound):
            table.commits.find("run_1")
