"""Visibility: which catalogs, tables and scoped policies a caller may know of.

An object that does not exist for a caller is left out of lists, and reading it gives the answer for an unknown name:

    catalog          the caller holds a grant on it, or sees a registered table of its teams in it
    table, to read   it belongs to a team of the caller, or a grant with `read` covers its namespace
    table, to change it belongs to a team of the caller
    scoped policy    it covers the fleet, a team of the caller, or a table that the caller reads

Admins see everything; a caller of every team sees every registered table and every scoped policy.
"""

from dataclasses import replace

from engine.domain.access.callers import Caller, Role, require_role
from engine.domain.access.grants import (
    EVERY_NAMESPACE,
    Grant,
    ReadableNamespaces,
    Right,
    VisibleTables,
    allows,
    held,
)
from engine.domain.errors import FieldProblem, Forbidden, InvalidInput
from engine.domain.policies import PolicyScope, PolicyScopeKind
from engine.domain.tables.table import Catalog, Table, TableFilter
from engine.stores.unit_of_work import UnitOfWork


def may_read(caller: Caller, table: Table, catalog: Catalog) -> bool:
    """Return whether a registered table exists for the caller."""
    return caller.sees(table.owner_team) or allows(caller, catalog.grants, Right.READ, table.ref.namespace)


async def visible_catalogs(unit: UnitOfWork, caller: Caller) -> frozenset[str] | None:
    """Return the names of the catalogs that exist for the caller; None: all."""
    if caller.role is Role.ADMIN:
        return None
    granted = {name for name, grants in (await unit.catalogs.grants()).items() if held(caller, grants)}
    return frozenset(granted) | await unit.catalogs.with_tables_of(caller.visible_teams)


async def visible_tables(unit: UnitOfWork, caller: Caller, catalog: str | None = None) -> VisibleTables | None:
    """Return the tables that the caller sees, only of `catalog` if it is given; None: all."""
    teams = caller.visible_teams
    if teams is None:
        return None
    readable = []
    for name, grants in sorted((await unit.catalogs.grants()).items()):
        reading = [grant for grant in held(caller, grants) if Right.READ in grant.rights]
        if reading and catalog in (None, name):
            readable.append(await _readable(unit, name, reading))
    return VisibleTables(teams, tuple(readable))


async def narrowed(unit: UnitOfWork, caller: Caller, wanted: TableFilter) -> TableFilter:
    """Return a filter of tables narrowed to those that the caller sees.

    Raises:
        InvalidInput: a namespace without its catalog, or a name without its namespace.
    """
    _check_filter(wanted)
    seen = await visible_tables(unit, caller, wanted.catalog)
    return wanted if seen is None else replace(wanted, teams=seen.teams, readable=seen.readable)


async def sees_scope(unit: UnitOfWork, scope: PolicyScope, seen: VisibleTables | None) -> bool:
    """Return whether a policy of this scope exists for a caller who sees these tables (None: all)."""
    if seen is None or scope.kind is PolicyScopeKind.FLEET or scope.team in seen.teams:
        return True
    return await unit.policy_coverage.covers_any(scope, seen)


def _check_filter(wanted: TableFilter) -> None:
    problems = []
    if wanted.namespace is not None and wanted.catalog is None:
        message = "a namespace is unique only within its catalog"
        problems.append(FieldProblem("query:catalog", message, None, "give `catalog` too"))
    if wanted.name is not None and wanted.namespace is None:
        hint = "give `namespace` too, once for each level, outer first"
        problems.append(FieldProblem("query:namespace", "a name is unique only within its namespace", None, hint))
    if problems:
        raise InvalidInput("a filter needs another filter", problems=tuple(problems))


def require_writer(caller: Caller, scope: PolicyScope) -> None:
    """Raise `Forbidden` unless the caller may write policies of this scope (of tables: see `read_own`).

    Owners write policies of their own teams, which cover only tables that they may change one by one as well. A label
    can be on tables of any team, now or later, so its policies are written by admins, like those of all other scopes.
    """
    require_role(caller, Role.OWNER)
    if caller.role is Role.ADMIN or (scope.kind is PolicyScopeKind.TEAM and caller.sees(scope.team)):
        return
    own = "any team" if caller.teams is None else ", ".join(sorted(caller.teams)) or "none"
    raise Forbidden(
        f"policies of the scope {scope.kind.value!r} need the role 'admin'; an owner writes policies of the scope "
        f"'team' for its own teams, which are: {own}"
    )


def require_scope_reader(caller: Caller, scope: PolicyScope) -> None:
    """Raise `Forbidden` unless the caller sees every table that policies of this scope may cover, whatever its role.

    A preview names them and counts their files. A check of a pull request previews with a key that only reads.
    """
    if caller.visible_teams is None or (scope.kind is PolicyScopeKind.TEAM and caller.sees(scope.team)):
        return
    raise Forbidden(
        f"a preview shows all tables that a policy of the scope {scope.kind.value!r} covers, and {caller.subject} sees "
        "those of its teams only: use a key of every team"
    )


async def _readable(unit: UnitOfWork, catalog: str, reading: list[Grant]) -> ReadableNamespaces:
    if any(EVERY_NAMESPACE in grant.namespaces for grant in reading):
        return ReadableNamespaces(catalog)
    registered = await unit.tables.namespaces(catalog)
    covered = frozenset(each for each in registered if any(grant.covers(each) for grant in reading))
    return ReadableNamespaces(catalog, covered)
