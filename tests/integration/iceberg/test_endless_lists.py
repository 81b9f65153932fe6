"""Lists of REST and SQL catalogs that have no end: an error within bounds of memory, and nothing goes on afterwards."""

import gc
from collections.abc import Callable, Mapping

import pytest

from engine.domain.errors import Away, StateConflict
from engine.formats.iceberg import IcebergFormat
from engine.formats.iceberg.catalog import listing
from engine.formats.iceberg.catalog.rest import pages
from engine.formats.iceberg.connection import IcebergConnection
from engine.formats.paimon.catalog.rest import pages as paimon_pages
from engine.formats.paimon.connection import PaimonFormat
from engine.formats.removal.listings import files_below
from engine.services.catalogs.bulkheads.calls import Bulkheads
from engine.services.catalogs.bulkheads.compartments import Compartment, ThreadLimits
from tests.support.endless_lists import ENDLESS, EndlessLists
from tests.support.eventually import seen_when
from tests.support.hostile.budgets import error_within


def connect(url: str) -> IcebergConnection:
    return IcebergFormat().connect("lake", {"type": "rest", "uri": url})


@pytest.mark.parametrize("kind", ENDLESS)
def test_f62_a_list_without_an_end_is_an_error_within_its_limits(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MOST_PAGES", 200)
    monkeypatch.setattr(pages, "MOST_NAMES", 5_000)
    monkeypatch.setattr(listing, "MOST_NAMESPACES", 1_000)
    with EndlessLists(kind).running() as server:
        error = error_within(30, lambda: connect(server.url).list_tables(10_000), mib=128)
    assert isinstance(error, StateConflict)
    assert "more than" in error.message or "no end" in error.message
    assert server.requests < 1_200


def _list_objects(url: str) -> None:
    given = {"s3.endpoint": url, "s3.region": "us-east-1", "s3.access-key-id": "k", "s3.secret-access-key": "s"}
    for _ in files_below("s3://bucket/t", given, lambda _requests: None):
        pass


def _list_databases(url: str) -> None:
    PaimonFormat().connect("lake", {"type": "rest", "warehouse": "w", "uri": url, "token": "t"}).ping()


LISTINGS: Mapping[str, Callable[[str], object]] = {
    "namespaces": lambda url: connect(url).list_tables(10**9),
    "a tree": lambda url: connect(url).list_tables(10**9),
    "databases of Paimon": _list_databases,
    "objects": _list_objects,
}


@pytest.mark.filterwarnings("ignore:Exception ignored in. <socket.socket")  # the call may end just when it connects
@pytest.mark.parametrize("kind", LISTINGS)
async def test_f62_a_listing_that_was_given_up_asks_for_no_further_page(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its thread, the only one of the catalog, is free again."""
    for name in ("MOST_NAMES", "MOST_PAGES"):  # a fast machine reads as many before the call is given up
        monkeypatch.setattr(paimon_pages, name, 10**9)
    bulk, lake = Bulkheads(ThreadLimits(per_table=1, read_seconds=0.3)), Compartment.of("lake")

    async def is_free() -> bool:
        try:
            return await bulk.read(lake, lambda: True)
        except Away:
            return False

    with EndlessLists(kind).running() as server:
        with pytest.raises((Away, StateConflict), match=r"did not answer within|took too long"):
            await bulk.read(lake, lambda: LISTINGS[kind](server.url))
        await seen_when(is_free, within_seconds=10)
        asked = server.requests
        assert await is_free()
    assert server.requests == asked
    gc.collect()  # closes the socket here, and not in a later test
