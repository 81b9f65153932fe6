"""Queries over many tables. Each scans an index and stops at the end of the page (a test checks the query plans).

A page of several teams merges the newest tables of each team, because an index on (owner_team, id) is in order for one
team only; tables that the caller may read by grants add one branch per catalog. A filter by label uses the label's
index, since few tables share a label.
"""

from typing import Any

from sqlalchemy import ColumnElement, Select, Text, and_, false, func, literal, or_, select, type_coerce, union_all

from engine.domain.access.grants import ReadableNamespaces, VisibleTables
from engine.domain.ids import TableId
from engine.domain.tables.table import TableFilter
from engine.stores.schema.core import table_labels, tables
from engine.stores.sql.dialects import dump_json


def page(wanted: TableFilter, after: TableId | None, limit: int) -> Select[Any]:
    """Return the query for one page of tables older than `after`, newest first."""
    newest = select(tables).order_by(tables.c.id.desc()).limit(limit)
    teams = _teams(wanted)
    if teams is None and not wanted.labels:
        return newest.where(*conditions(wanted, after))
    ids = _ids(wanted, after, limit)
    branches = [ids] if teams is None else [ids.where(tables.c.owner_team == team) for team in sorted(teams)]
    branches += [ids.where(*_of_owner(wanted), _within(readable)) for readable in wanted.readable]
    if not branches:
        return newest.where(false())
    found = union_all(*(select(branch.subquery().c.id) for branch in branches))
    return newest.where(tables.c.id.in_(found))


def visible(seen: VisibleTables) -> ColumnElement[bool]:
    """Return the condition that a table belongs to one of the teams or is in one of the namespaces."""
    return or_(tables.c.owner_team.in_(sorted(seen.teams)), *(_within(each) for each in seen.readable))


def _within(readable: ReadableNamespaces) -> ColumnElement[bool]:
    """Return the condition that a table is in one of the namespaces."""
    of_catalog = tables.c.catalog == readable.catalog
    if readable.namespaces is None:
        return and_(of_catalog, ~type_coerce(tables.c.namespace, Text).contains("."))
    return and_(of_catalog, tables.c.namespace.in_(sorted(readable.namespaces)))


def _contains(searched: str) -> ColumnElement[bool]:
    """Return the condition that a text is part of the address `catalog.namespace.name`.

    Parts are joined by dots without quotes, so a text is searched as given and with the quotes of addresses removed.
    A namespace is stored as JSON, which escapes quotes, backslashes and what is not ASCII; its text is searched so too.
    """
    levels = type_coerce(tables.c.namespace, Text)
    inner = func.substr(levels, 3, func.length(levels) - 4)  # without [" and "]
    dot = literal(".", Text)
    address = tables.c.catalog + dot + func.replace(inner, '","', ".", type_=Text) + dot + tables.c.name
    plain = searched.replace('""', "\0").replace('"', "").replace("\0", '"')
    spellings = {searched, plain, dump_json(searched)[1:-1], dump_json(plain)[1:-1]} - {""}
    return or_(*(address.icontains(spelling, autoescape=True) for spelling in sorted(spellings)))


def _of_owner(wanted: TableFilter) -> list[ColumnElement[bool]]:
    return [] if wanted.owner_team is None else [tables.c.owner_team == wanted.owner_team]


def _teams(wanted: TableFilter) -> frozenset[str] | None:
    """Return the teams whose tables match; None: all teams, and tables without one."""
    if wanted.owner_team is None:
        return wanted.teams
    is_visible = wanted.teams is None or wanted.owner_team in wanted.teams
    return frozenset({wanted.owner_team} if is_visible else ())


def _ids(wanted: TableFilter, after: TableId | None, limit: int) -> Select[Any]:
    if not wanted.labels:
        return select(tables.c.id).where(*conditions(wanted, after)).order_by(tables.c.id.desc()).limit(limit)
    query = select(tables.c.id)
    for number, (key, value) in enumerate(sorted(wanted.labels.items())):
        label = table_labels.alias(f"label_{number}")
        query = query.join(label, label.c.table_id == tables.c.id).where(label.c.key == key, label.c.value == value)
        if number == 0:
            query = query.order_by(label.c.table_id.desc())
            if after is not None:
                query = query.where(label.c.table_id < after)
    return query.where(*conditions(wanted, after)).limit(limit)


def conditions(wanted: TableFilter, after: TableId | None) -> list[ColumnElement[bool]]:
    """Return the conditions on address, pause, freeze and page; teams and labels have index scans of their own."""
    conditions: list[ColumnElement[bool]] = [] if after is None else [tables.c.id < after]
    for column, value in (
        (tables.c.catalog, wanted.catalog),
        (tables.c.namespace, wanted.namespace),
        (tables.c.name, wanted.name),
    ):
        if value is not None:
            conditions.append(column == value)
    if wanted.search is not None:
        conditions.append(_contains(wanted.search))
    if wanted.is_paused is not None:
        conditions.append(tables.c.paused_at.is_not(None) if wanted.is_paused else tables.c.paused_at.is_(None))
    if wanted.is_frozen is not None:
        conditions.append(tables.c.frozen_at.is_not(None) if wanted.is_frozen else tables.c.frozen_at.is_(None))
    return conditions
