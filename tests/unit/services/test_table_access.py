"""Connections to catalogs: kept while nothing changed, made anew when something did, given up on in time."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from structlog.testing import capture_logs

from engine.domain.errors import InvalidInput, StateConflict, Transient
from engine.domain.tables.table import Catalog, FormatName, TableRef
from engine.formats.base import CheckStep, FileScope, PlainProperties
from engine.formats.iceberg.catalog.known_properties import PLAIN
from engine.services.catalogs.addresses import FRESH_SECONDS, HostNames
from engine.services.catalogs.bulkheads.compartments import ThreadLimits
from engine.services.catalogs.locations import LocationRules
from engine.services.catalogs.table_access import TableAccess

MADE = datetime(2026, 11, 1, tzinfo=UTC)
LAKE = Catalog("lake", FormatName.ICEBERG, {"token": "env:TOKEN"}, 1, MADE, MADE)


class Connection:
    """A connection on which every table is missing; it is asked for each pointer, and for some without an answer."""

    has_all_pointers = False

    def expect_changes(self, refs: Any) -> None:
        """Each call asks."""

    def __init__(self) -> None:
        self.silent: set[str] = set()
        self.refused: set[str] = set()
        self.broken: set[str] = set()
        self.answers = threading.Event()

    def pointers(self, refs: Sequence[TableRef]) -> dict[TableRef, str]:
        (ref,) = refs
        if ref.name in self.silent:
            self.answers.wait(60)
        if ref.name in self.refused:
            raise StateConflict(f"the store of {ref.name} refuses the credentials")
        if ref.name in self.broken:
            raise AttributeError("closed")
        return {ref: f"pointer of {ref.name}"}

    def check(self) -> list[CheckStep]:
        return [CheckStep("list namespaces", ok=True, detail="asked with token secret-one")]

    def open_table(self, ref: TableRef, scope: FileScope) -> None:
        raise Transient("can't reach https://reader:hunter2@catalog: hunter2 is not known")


class Format:
    """Counts what it was asked; `blocked` holds connects back."""

    def __init__(self) -> None:
        self.seen: list[Mapping[str, str]] = []
        self.blocked = threading.Event()
        self.blocked.set()

    def plain_properties(self) -> PlainProperties:
        return PLAIN

    def validate(self, properties: Mapping[str, str]) -> None:
        if "bad" in properties:
            raise InvalidInput("bad")

    def connect(self, name: str, properties: Mapping[str, str]) -> Connection:
        self.blocked.wait()
        if properties["token"] == "wrong":
            raise Transient("the catalog refused the token")
        self.seen.append(dict(properties))
        return Connection()


@pytest.fixture
def environ() -> dict[str, str]:
    return {"TOKEN": "secret-one"}


@pytest.fixture
def table_format() -> Format:
    return Format()


@pytest.fixture
def registry(table_format: Format, environ: dict[str, str]) -> TableAccess:
    return TableAccess(
        formats={FormatName.ICEBERG: table_format}, environ=environ, limits=ThreadLimits(read_seconds=0.2)
    )


async def test_a_connection_is_made_once_with_its_secrets_and_again_for_new_ones_or_a_replaced_catalog(
    registry: TableAccess, table_format: Format, environ: dict[str, str]
) -> None:
    assert await registry.connect(LAKE) is await registry.connect(LAKE)
    assert table_format.seen == [{"token": "secret-one"}]
    await registry.connect(replace(LAKE, version=2))
    environ["TOKEN"] = "two"
    await registry.connect(LAKE)
    assert [properties["token"] for properties in table_format.seen] == ["secret-one", "secret-one", "two"]


async def test_a_catalog_that_hangs_is_given_up_on(registry: TableAccess, table_format: Format) -> None:
    table_format.blocked.clear()
    try:
        with pytest.raises(Transient, match="'lake' did not answer within"):
            await registry.connect(LAKE)
    finally:
        table_format.blocked.set()


async def test_secrets_are_blotted_out_of_errors(registry: TableAccess, environ: dict[str, str]) -> None:
    environ["TOKEN"] = "https://reader:hunter2@catalog"
    with pytest.raises(Transient) as caught:
        await registry.open_table(LAKE, TableRef("lake", ("a",), "b"))
    assert "hunter2" not in str(caught.value)
    assert "can't reach ***" in caught.value.message


async def test_a_check_tells_each_step_without_secrets(registry: TableAccess, environ: dict[str, str]) -> None:
    assert (await registry.check(LAKE))[1].detail == "asked with token ***"
    assert [(step.name, step.ok) for step in await registry.check(LAKE)] == [
        ("secrets", True),
        ("list namespaces", True),
    ]
    environ["TOKEN"] = "wrong"
    assert [(step.name, step.ok) for step in await registry.check(LAKE)] == [("secrets", True), ("connection", False)]
    del environ["TOKEN"]
    assert [(step.name, step.ok) for step in await registry.check(LAKE)] == [("secrets", False)]


async def test_a_format_that_is_not_served_is_refused(table_format: Format, environ: dict[str, str]) -> None:
    registry = TableAccess(formats={FormatName.ICEBERG: table_format}, environ=environ)  # type: ignore[dict-item]
    with pytest.raises(InvalidInput) as caught:
        await registry.validate(FormatName.PAIMON, {})
    assert caught.value.problems[0].hint == "use one of iceberg"


async def test_a_name_that_resolves_inside_is_refused_when_it_is_written_and_when_it_is_used(
    table_format: Format, environ: dict[str, str]
) -> None:
    answers = [["192.0.2.1"], ["127.0.0.1"]]
    now = [0.0]
    registry = TableAccess(
        formats={FormatName.ICEBERG: table_format},  # type: ignore[dict-item]
        environ=environ,
        locations=LocationRules(allows_local=False),
        names=HostNames(lookup=lambda _host: answers.pop(0), monotonic=lambda: now[0]),
    )
    catalog = replace(LAKE, properties={"token": "env:TOKEN", "uri": "https://catalog.example"})
    await registry.validate(FormatName.ICEBERG, catalog.properties)
    await registry.connect(catalog)
    now[0] = FRESH_SECONDS + 1
    with pytest.raises(InvalidInput) as caught:
        await registry.connect(catalog)
    assert [problem.pointer for problem in caught.value.problems] == ["/properties/uri"]


async def test_one_table_without_an_answer_hides_no_pointers_of_others(registry: TableAccess) -> None:
    connection: Any = await registry.connect(LAKE)
    refs = [TableRef("lake", ("a",), f"t{number}") for number in range(20)]
    connection.silent = {"t3"}
    found = await registry.pointers(LAKE, refs)
    assert set(refs) - set(found) == {refs[3]}
    connection.answers.set()


async def test_one_table_whose_store_refuses_hides_no_pointers_of_others(registry: TableAccess) -> None:
    connection: Any = await registry.connect(LAKE)
    refs = [TableRef("lake", ("a",), f"t{number}") for number in range(20)]
    connection.refused = {"t3"}
    found = await registry.pointers(LAKE, refs)
    assert set(refs) - set(found) == {refs[3]}
    connection.refused = {ref.name for ref in refs}
    with pytest.raises(StateConflict, match="the store of t0"):
        await registry.pointers(LAKE, refs)


async def test_f51_a_fault_of_ours_at_one_table_hides_no_pointers_of_others(registry: TableAccess) -> None:
    """It is no answer of the catalog either: the table has no pointer, so that it is looked at, which reports it."""
    connection: Any = await registry.connect(LAKE)
    refs = [TableRef("lake", ("a",), f"t{number}") for number in range(20)]
    connection.broken = {"t3"}
    with capture_logs() as logged:
        found = await registry.pointers(LAKE, refs)
    assert set(refs) - set(found) == {refs[3]}
    assert [(each["event"], each["table"]) for each in logged] == [("pointer_not_read", "lake.a.t3")]


async def test_a_catalog_that_answers_for_no_table_is_away(registry: TableAccess) -> None:
    connection: Any = await registry.connect(LAKE)
    refs = [TableRef("lake", ("a",), f"t{number}") for number in range(20)]
    connection.silent = {ref.name for ref in refs}
    with pytest.raises(Transient, match=r"table lake\.a\.t0 did not answer"):
        await registry.pointers(LAKE, refs)
    connection.answers.set()
