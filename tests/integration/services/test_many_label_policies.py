"""Ten thousand policies of labels: what is read for one table or one caller does not grow with them."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from sqlalchemy import insert

from engine.domain.access.callers import Caller, Role
from engine.domain.policies import PolicyScope, PolicyScopeKind
from engine.domain.tables.table import Table
from engine.services.policies.scoped import ScopedPolicyService
from engine.stores.database import Database
from engine.stores.schema.core import policies
from tests.integration.stores.samples import LAKE, a_table

MANY = 10_000


def label(value: str) -> PolicyScope:
    return PolicyScope(PolicyScopeKind.LABEL, label_key="k", label_value=value)


@pytest.fixture
async def table(database: Database) -> Table:
    """A table of the team growth with the label k=v7, and policies of k=v0 to k=v9999."""
    made = replace(a_table(), owner_team="growth", labels={"k": "v7", "other": "x"})
    row = {"kind": PolicyScopeKind.LABEL, "label_key": "k", "version": 1, "document": {"priority": "high"}}
    row |= {"updated_at": datetime(2026, 11, 1, tzinfo=UTC), "updated_by": "key:admin"}
    rows = [row | {"name": f"p{number}", "label_value": f"v{number}"} for number in range(MANY)]
    async with database.begin() as unit:
        await unit.catalogs.insert(LAKE)
        await unit.tables.insert(made)
        await unit.policies._connection.execute(insert(policies), rows)
    return made


async def test_only_those_of_a_tables_own_labels_are_read(database: Database, table: Table) -> None:
    async with database.read() as unit:
        covering = await unit.policy_coverage.covering(table)
        ordering = await unit.policy_coverage.setting_order([table.id])
        around = await unit.policy_coverage.around(label("v7"))
        of_fleet = await unit.policy_coverage.around(PolicyScope(PolicyScopeKind.FLEET))
        none = await unit.policy_coverage.around(label("v8"))
    assert [[each.name for each in found] for found in (covering, ordering, around, of_fleet)] == [["p7"]] * 4
    assert none == []


async def test_a_list_asks_once_for_what_a_caller_sees(
    database: Database, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = ScopedPolicyService(database=database, checks=cast("Any", None))

    async def never(*_: object) -> bool:
        raise AssertionError("a policy was asked for alone")

    monkeypatch.setattr("engine.services.policies.scoped.sees_scope", never)
    names = {}
    for team in ("growth", "sales"):
        caller = Caller("key:one", Role.VIEWER, frozenset({team}))
        found = await service.list(caller, after=None, limit=100)
        names[team] = [each.name for each in found]
    assert names == {"growth": ["p7"], "sales": []}
