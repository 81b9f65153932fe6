"""Queries over many runs. Each one walks an index and stops: none grows with history (a test looks at the query plans).

A page of some states is the newest of the newest of each state, because an index on (state, id) is in order for one
state only, and a walk in order of id might pass all of history to find the few live runs.
"""

from collections.abc import Set as AbstractSet
from typing import Any

from sqlalchemy import Select, func, or_, select, union_all

from engine.domain.ids import RunId, TableId
from engine.domain.runs import TERMINAL_STATES, Operation, RunState
from engine.stores.clock import now
from engine.stores.schema import runs


def page(
    table_id: TableId | None, states: AbstractSet[RunState] | None, before: RunId | None, limit: int
) -> Select[Any]:
    """Return the query of one page of runs, newest first, those older than `before`."""
    conditions = [] if before is None else [runs.c.id < before]
    newest = select(runs).order_by(runs.c.id.desc()).limit(limit)
    if table_id is None and states is None:
        return newest.where(*conditions)
    if table_id is not None:
        conditions.append(runs.c.table_id == table_id)
    of_each_state = [
        select(runs.c.id).where(runs.c.state == state, *conditions).order_by(runs.c.id.desc()).limit(limit).subquery()
        for state in sorted(RunState if states is None else states)
    ]
    return newest.where(runs.c.id.in_(union_all(*(select(branch.c.id) for branch in of_each_state))))


def live(table_id: TableId, operation: Operation) -> Select[Any]:
    """Return the query of the one live run of an operation on a table."""
    return select(runs).where(runs.c.table_id == table_id, runs.c.operation == operation, runs.c.finished_at.is_(None))


def ready(limit: int) -> Select[Any]:
    """Return the query of the ids of queued runs that need not wait any longer, oldest first."""
    is_due = or_(runs.c.not_before.is_(None), runs.c.not_before <= now())
    return select(runs.c.id).where(runs.c.state == RunState.QUEUED, is_due).order_by(runs.c.id).limit(limit)


def expired(limit: int) -> Select[Any]:
    """Return the query of the ids of runs whose lease ran out, longest first; locks them, passes over locked ones."""
    return (
        select(runs.c.id)
        .where(runs.c.lease_holder.is_not(None), runs.c.lease_expires_at <= now())
        .order_by(runs.c.lease_expires_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )


def live_counts() -> Select[Any]:
    """Return the query of the number of live runs by state."""
    live_states = sorted(set(RunState) - TERMINAL_STATES)  # by state: SQLite would not take the partial index here
    return select(runs.c.state, func.count()).where(runs.c.state.in_(live_states)).group_by(runs.c.state)
