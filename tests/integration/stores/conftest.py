"""Databases of these tests are `Stores`."""

from collections.abc import AsyncIterator

import pytest

from engine.domain.tables.table import Table
from tests.integration.stores.samples import registered
from tests.integration.stores.stores import FreshStores, Stores


@pytest.fixture(params=["sqlite", "postgres"])
async def fresh_database(request: pytest.FixtureRequest) -> AsyncIterator[FreshStores]:
    """An empty, migrated database; the test runs once on each dialect."""
    fresh = FreshStores(url=request.getfixturevalue(f"{request.param}_url"))
    yield fresh
    await fresh.close()


@pytest.fixture
async def table(database: Stores) -> Table:
    """A registered table, `lake.shop.eu.orders`."""
    return await registered(database)
