"""Look up the policies that cover a table, and the tables that a policy covers.

SQL preselects, Python decides: a condition here may match too many rows (LIKE is case-insensitive on SQLite, only the
literal ends of a pattern are compared), and every row is then checked with `PolicyScope.covers`. Covered tables are
returned in pages by id, each with the document of its own policy, so that no query is needed per table.
"""

import re
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, assert_never

from sqlalchemy import ColumnElement, Row, Select, Text, and_, or_, select, true, tuple_, type_coerce
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.access.grants import VisibleTables
from engine.domain.ids import TableId
from engine.domain.policies import PolicyScope, PolicyScopeKind, ScopedTable, StoredPolicy
from engine.domain.tables.table import FormatName, TableRef
from engine.stores.policies.store import has_members, to_policy, to_scope
from engine.stores.schema.core import catalogs, measurements, policies, table_labels, tables
from engine.stores.sql.dialects import dump_json
from engine.stores.tables.listings import visible

PAGE: Final = 1000
_ORDER: Final = (("priority",), ("schedule", "urgent_after"))
"""The policy settings that decide when a queued run is claimed."""
TRAITS: Final = (
    tables.c.id,
    tables.c.catalog,
    tables.c.namespace,
    tables.c.name,
    tables.c.owner_team,
    tables.c.labels,
)
"""The columns that policy scopes are compared with."""


@dataclass(frozen=True, slots=True)
class CoveredTable:
    """A table that a policy covers, with the stored document of the table's own policy (None: it has none)."""

    id: TableId
    ref: TableRef
    owner_team: str | None
    labels: Mapping[str, str]
    own: dict[str, Any] | None


class PolicyCoverageStore:
    """Reads `policies` by table, and `tables` by policy."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def covering(self, table: ScopedTable) -> list[StoredPolicy]:
        """Return all policies that cover a table, weakest first, including its own."""
        ref = table.ref
        namespaces = [ref.namespace[:levels] for levels in range(1, len(ref.namespace) + 1)]
        covers = [
            policies.c.name == table.id,
            policies.c.kind.in_((PolicyScopeKind.FLEET, PolicyScopeKind.PATTERN)),
            and_(policies.c.kind == PolicyScopeKind.CATALOG, policies.c.catalog == ref.catalog),
            and_(
                policies.c.kind == PolicyScopeKind.NAMESPACE,
                policies.c.catalog == ref.catalog,
                policies.c.namespace.in_(namespaces),
            ),
        ]
        if table.owner_team is not None:
            covers.append(and_(policies.c.kind == PolicyScopeKind.TEAM, policies.c.team == table.owner_team))
        if table.labels:
            label = tuple_(policies.c.label_key, policies.c.label_value)
            covers.append(and_(policies.c.kind == PolicyScopeKind.LABEL, label.in_(sorted(table.labels.items()))))
        rows = await self._connection.execute(select(policies).where(or_(*covers)))
        return sorted((to_policy(row) for row in rows if to_scope(row).covers(table)), key=strength)

    async def around(self, scope: PolicyScope) -> list[StoredPolicy]:
        """Return, weakest first, the scoped policies that can cover a table of this scope.

        Policies of teams and labels that no table of the scope has are left out; some of those returned may cover none.
        """
        query = select(policies).where(policies.c.kind != PolicyScopeKind.TABLE, has_members(narrowed(scope)))
        return sorted((to_policy(row) for row in await self._connection.execute(query)), key=strength)

    async def setting_order(self, table_ids: Iterable[TableId]) -> list[StoredPolicy]:
        """Return, weakest first, the policies that set when runs are claimed and may cover one of these tables."""
        ids = sorted(set(table_ids))
        is_scoped = and_(policies.c.kind != PolicyScopeKind.TABLE, has_members(tables.c.id.in_(ids)))
        is_near = or_(is_scoped, policies.c.name.in_(ids))
        says = [policies.c.document[path].as_string().is_not(None) for path in _ORDER]
        query = select(policies).where(is_near, or_(*says))
        return sorted((to_policy(row) for row in await self._connection.execute(query)), key=strength)

    async def covered(
        self, scope: PolicyScope, seen: VisibleTables | None = None
    ) -> AsyncGenerator[list[CoveredTable]]:
        """Yield the tables that a scope covers and a caller sees (None: all), by id, in pages of at most 1000."""
        after, is_seen = TableId(""), true() if seen is None else visible(seen)
        while True:
            rows = (await self._connection.execute(_page(scope, after).where(is_seen))).all()
            if covered := [each for row in rows if scope.covers(each := _to_covered(row))]:
                yield covered
            if len(rows) < PAGE:
                return
            after = rows[-1].id

    async def covers_any(self, scope: PolicyScope, seen: VisibleTables) -> bool:
        """Return whether a scope covers a registered table that is visible to a caller."""
        is_seen = visible(seen)
        after = TableId("")
        while True:
            rows = (await self._connection.execute(_page(scope, after).where(is_seen))).all()
            if any(scope.covers(_to_covered(row)) for row in rows):
                return True
            if len(rows) < PAGE:
                return False
            after = rows[-1].id

    async def namespaces(self, limit: int) -> list[tuple[str, tuple[str, ...]]]:
        """Return the (catalog, namespace) pairs of registered tables, in order, at most `limit`."""
        query = select(tables.c.catalog, tables.c.namespace).distinct().order_by(tables.c.catalog, tables.c.namespace)
        return [(row.catalog, row.namespace) for row in await self._connection.execute(query.limit(limit))]

    async def measured(self, table_ids: Sequence[TableId]) -> dict[TableId, dict[str, Any]]:
        """Return the last measured health of tables, by id; tables that were never measured are left out."""
        query = select(measurements.c.table_id, measurements.c.document).where(
            measurements.c.is_latest, measurements.c.table_id.in_(table_ids)
        )
        return {row.table_id: row.document for row in await self._connection.execute(query)}

    async def catalogs(self, scope: PolicyScope) -> dict[str, FormatName]:
        """Return the catalogs that can contain tables of a scope, with their formats."""
        query = select(catalogs.c.name, catalogs.c.format)
        match scope.kind:
            case PolicyScopeKind.CATALOG | PolicyScopeKind.NAMESPACE:
                query = query.where(catalogs.c.name == scope.catalog)
            case PolicyScopeKind.PATTERN:
                query = query.where(_catalog_of_pattern(scope.pattern or "", catalogs.c.name))
            case PolicyScopeKind.TABLE:
                of_table = select(tables.c.catalog).where(tables.c.id == scope.table_id)
                query = query.where(catalogs.c.name.in_(of_table))
            case PolicyScopeKind.FLEET | PolicyScopeKind.TEAM | PolicyScopeKind.LABEL:
                pass
            case _:
                assert_never(scope.kind)
        return {row.name: row.format for row in await self._connection.execute(query)}


def strength(policy: StoredPolicy) -> tuple[Any, str]:
    """Return the sort key for merging policies, weakest first; policies of equal strength are ordered by name."""
    return policy.scope.strength, policy.name


def _page(scope: PolicyScope, after: TableId) -> Select[Any]:
    own = and_(policies.c.name == tables.c.id, policies.c.kind == PolicyScopeKind.TABLE)
    columns = (*TRAITS, policies.c.document.label("own"))
    query = select(*columns).outerjoin_from(tables, policies, own)
    return query.where(tables.c.id > after, narrowed(scope)).order_by(tables.c.id).limit(PAGE)


def _to_covered(row: Row[Any]) -> CoveredTable:
    ref = TableRef(row.catalog, row.namespace, row.name)
    return CoveredTable(row.id, ref, row.owner_team, row.labels, row.own)


def narrowed(scope: PolicyScope) -> ColumnElement[bool]:
    """Return a condition on `tables` that matches all tables of a scope; for a pattern it may match others too."""
    match scope.kind:
        case PolicyScopeKind.FLEET:
            condition: ColumnElement[bool] = true()
        case PolicyScopeKind.TEAM:
            condition = tables.c.owner_team == scope.team
        case PolicyScopeKind.CATALOG:
            condition = tables.c.catalog == scope.catalog
        case PolicyScopeKind.NAMESPACE:
            namespace = scope.namespace or ()
            inside = dump_json(list(namespace))[:-1] + ","
            is_inside = type_coerce(tables.c.namespace, Text).startswith(inside, autoescape=True)
            condition = and_(tables.c.catalog == scope.catalog, or_(tables.c.namespace == namespace, is_inside))
        case PolicyScopeKind.PATTERN:
            pattern = scope.pattern or ""
            end = re.split(r"[*?.]", pattern)[-1]  # the suffix of a table's name
            ends = tables.c.name.endswith(end, autoescape=True)
            condition = and_(_catalog_of_pattern(pattern, tables.c.catalog), ends)
        case PolicyScopeKind.LABEL:
            is_label = and_(table_labels.c.key == scope.label_key, table_labels.c.value == scope.label_value)
            condition = tables.c.id.in_(select(table_labels.c.table_id).where(is_label).correlate(None))
        case PolicyScopeKind.TABLE:
            condition = tables.c.id == scope.table_id
        case _:
            assert_never(scope.kind)
    return condition


def _catalog_of_pattern(pattern: str, catalog: ColumnElement[str]) -> ColumnElement[bool]:
    """Return the condition of a pattern on the catalog, whose name ends at the first dot (it contains none)."""
    literal = re.split(r"[*?]", pattern)[0]
    name, dot, _ = literal.partition(".")
    return catalog == name if dot else catalog.startswith(name, autoescape=True)
