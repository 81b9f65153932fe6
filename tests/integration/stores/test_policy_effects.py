"""What a change of a policy comes to on many tables: counted right, and without a query for each table."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import event, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.policies import FLEET, PolicyDocument, PolicyScope, PolicyScopeKind
from engine.services.policies.effects import MOST_SHOWN, PolicyChange, TableItself, weigh
from engine.stores.schema.core import tables
from tests.integration.stores.samples import LAKE, NOON
from tests.integration.stores.stores import Stores

TABLES = 2_500
SMALLER = PolicyDocument.model_validate({"rewrite": {"target_file_bytes": "64MiB"}})
GROUPS = PolicyDocument.model_validate({"limits": {"parallel_groups": 8}})


async def fill(database: Stores) -> None:
    """Register many tables of two namespaces; every hundredth has a target of its own."""
    like = {"catalog": "lake", "uuid": "u", "location": "file:///lake", "created_at": NOON, "labels": {}}
    rows = [
        like | {"id": f"tbl_{number:05}", "namespace": (f"n{number % 2}",), "name": f"t{number}", "version": 1}
        for number in range(TABLES)
    ]
    async with database.begin() as work:
        await work.catalogs.insert(LAKE)
        await work.connection.execute(insert(tables), rows)
        for row in rows[::100]:
            scope = PolicyScope(PolicyScopeKind.TABLE, table_id=row["id"])
            await work.policies.insert(row["id"], scope, SMALLER, "key:admin")
        inner = PolicyScope(PolicyScopeKind.NAMESPACE, catalog="lake", namespace=("n1",))
        await work.policies.insert("inner", inner, GROUPS, "key:admin")


@contextmanager
def counted(connection: AsyncConnection) -> Iterator[list[str]]:
    """Collect the statements that a connection sends."""
    sent: list[str] = []

    def keep(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        sent.append(statement)

    event.listen(connection.sync_connection, "before_cursor_execute", keep)
    yield sent
    event.remove(connection.sync_connection, "before_cursor_execute", keep)


async def test_a_change_of_the_fleet_is_weighed_page_by_page(database: Stores) -> None:
    await fill(database)
    after = PolicyDocument.model_validate({"rewrite": {"target_file_bytes": "64MiB"}, "limits": {"parallel_groups": 2}})
    async with database.read() as work:
        with counted(work.connection) as sent:
            effect = await weigh(
                work, PolicyChange("fleet", FLEET, None, after), TableItself(), matrices={}, with_due=True
            )
    assert len(sent) <= 3 + 2 * (TABLES // 1000 + 1)
    assert (effect.covered_count, effect.affected_count, len(effect.affected)) == (TABLES, TABLES, MOST_SHOWN)
    told = {(change.table_count, *(each.setting for each in change.settings)) for change in effect.changes}
    sizes = ("rewrite.large_file_bytes", "rewrite.small_file_bytes", "rewrite.target_file_bytes")
    assert told == {(1225, "limits.parallel_groups", *sizes), (1250, *sizes), (25, "limits.parallel_groups")}
    assert effect.due.unmeasured_count == TABLES - TABLES // 100


async def test_a_change_that_stronger_policies_hold_off_affects_nothing(database: Stores) -> None:
    await fill(database)
    scope = PolicyScope(PolicyScopeKind.CATALOG, catalog="lake")
    async with database.read() as work:
        change = PolicyChange("lake", scope, None, PolicyDocument.model_validate({"limits": {"parallel_groups": 4}}))
        effect = await weigh(work, change, TableItself(), matrices={})
    assert (effect.covered_count, effect.affected_count, effect.changes) == (TABLES, 0, ())
