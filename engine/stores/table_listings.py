"""Queries over many tables. Each one walks an index and stops at the page's end (a test looks at the query plans).

A page of some teams is the newest of the newest of each team, because an index on (owner_team, id) is in order for one
team only. A label leads the walk where one is wanted: labels are what few tables share.
"""

from typing import Any

from sqlalchemy import ColumnElement, Select, false, select, union_all

from engine.domain.ids import TableId
from engine.domain.tables import TableFilter
from engine.stores.schema import table_labels, tables


def page(wanted: TableFilter, after: TableId | None, limit: int) -> Select[Any]:
    """Return the query of one page of tables, newest first, those older than `after`."""
    newest = select(tables).order_by(tables.c.id.desc()).limit(limit)
    teams = _teams(wanted)
    if teams is None and not wanted.labels:
        return newest.where(*_conditions(wanted, after))
    ids = _ids(wanted, after, limit)
    branches = [ids] if teams is None else [ids.where(tables.c.owner_team == team) for team in sorted(teams)]
    if not branches:
        return newest.where(false())
    found = union_all(*(select(branch.subquery().c.id) for branch in branches))
    return newest.where(tables.c.id.in_(found))


def _teams(wanted: TableFilter) -> frozenset[str] | None:
    """Return the teams whose tables fit; None: all, and those of no team."""
    if wanted.owner_team is None:
        return wanted.teams
    is_visible = wanted.teams is None or wanted.owner_team in wanted.teams
    return frozenset({wanted.owner_team} if is_visible else ())


def _ids(wanted: TableFilter, after: TableId | None, limit: int) -> Select[Any]:
    if not wanted.labels:
        return select(tables.c.id).where(*_conditions(wanted, after)).order_by(tables.c.id.desc()).limit(limit)
    query = select(tables.c.id)
    for number, (key, value) in enumerate(sorted(wanted.labels.items())):
        label = table_labels.alias(f"label_{number}")
        query = query.join(label, label.c.table_id == tables.c.id).where(label.c.key == key, label.c.value == value)
        if number == 0:
            query = query.order_by(label.c.table_id.desc())
            if after is not None:
                query = query.where(label.c.table_id < after)
    return query.where(*_conditions(wanted, after)).limit(limit)


def _conditions(wanted: TableFilter, after: TableId | None) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [] if after is None else [tables.c.id < after]
    for column, value in (
        (tables.c.catalog, wanted.catalog),
        (tables.c.namespace, wanted.namespace),
        (tables.c.name, wanted.name),
    ):
        if value is not None:
            conditions.append(column == value)
    if wanted.is_paused is not None:
        conditions.append(tables.c.paused_at.is_not(None) if wanted.is_paused else tables.c.paused_at.is_(None))
    if wanted.is_frozen is not None:
        conditions.append(tables.c.frozen_at.is_not(None) if wanted.is_frozen else tables.c.frozen_at.is_(None))
    return conditions
