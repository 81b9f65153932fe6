"""Events that webhooks announce, and the changes of the record that they come from.

An event is inserted in the transaction of its change, so that none is announced that did not happen, and none lost.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from engine.domain.ids import EventId, TableId
from engine.domain.runs.run import RunState

EVENTS_KEPT_FOR: Final = timedelta(days=30)
"""Time after which events and their deliveries are deleted."""


class EventType(StrEnum):
    """Type of an event."""

    RUN_STARTED = "run.started"
    RUN_SUCCEEDED = "run.succeeded"
    RUN_SKIPPED = "run.skipped"
    RUN_REFUSED = "run.refused"
    RUN_FAILED = "run.failed"
    RUN_CANCELLED = "run.cancelled"
    TABLE_REGISTERED = "table.registered"
    TABLE_PAUSED = "table.paused"
    TABLE_RESUMED = "table.resumed"
    TABLE_FROZEN = "table.frozen"
    TABLE_UNFROZEN = "table.unfrozen"
    POLICY_CHANGED = "policy.changed"
    OUTAGE_BEGAN = "outage.began"
    OUTAGE_ENDED = "outage.ended"
    BREAKER_OPENED = "breaker.opened"
    BREAKER_CLOSED = "breaker.closed"


OF_ENDED_RUNS: Final[Mapping[RunState, EventType]] = MappingProxyType(
    {
        RunState.SUCCEEDED: EventType.RUN_SUCCEEDED,
        RunState.SKIPPED: EventType.RUN_SKIPPED,
        RunState.REFUSED: EventType.RUN_REFUSED,
        RunState.FAILED: EventType.RUN_FAILED,
        RunState.CANCELLED: EventType.RUN_CANCELLED,
    }
)

LINEAGE_STATES: Final[Mapping[EventType, str]] = MappingProxyType(
    {
        EventType.RUN_STARTED: "START",
        EventType.RUN_SUCCEEDED: "COMPLETE",
        EventType.RUN_SKIPPED: "COMPLETE",
        EventType.RUN_REFUSED: "FAIL",
        EventType.RUN_FAILED: "FAIL",
        EventType.RUN_CANCELLED: "ABORT",
    }
)
"""The types that have a meaning in OpenLineage, with its `eventType`."""

OF_AUDITED_TABLES: Final[Mapping[str, EventType]] = MappingProxyType(
    {
        "table.register": EventType.TABLE_REGISTERED,
        "table.pause": EventType.TABLE_PAUSED,
        "table.resume": EventType.TABLE_RESUMED,
        "table.freeze": EventType.TABLE_FROZEN,
        "table.unfreeze": EventType.TABLE_UNFROZEN,
    }
)
"""Types by the action of the audit log whose object is a table."""

POLICY_ACTIONS: Final = "policy."
"""Prefix of the audit log's actions that change a policy; their object is its name, for one table the table's id."""


def type_of_run(before: RunState | None, after: RunState | None, attempt: int) -> EventType | None:
    """Return the type for a change of a run's state; None: none, such as for a second attempt that starts."""
    if after is RunState.PLANNING and before is RunState.QUEUED and attempt == 1:
        return EventType.RUN_STARTED
    return None if after is None else OF_ENDED_RUNS.get(after)


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event to be inserted.

    `table_id` names the table that it is about; its address, catalog and team are added. Without one, `catalog` names
    the catalog, None for the whole fleet. `data`: further fields of the event's data, JSON-ready, without secrets.
    """

    type: EventType
    table_id: TableId | None = None
    catalog: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FleetEvent:
    """A stored event.

    `sequence` grows with each event, of one table in the order of its changes. `subject` is the table's address, the
    name of a catalog or policy, or `fleet`. `table_id`, `catalog` and `owner_team` are those that webhooks filter by.
    """

    sequence: int
    id: EventId
    type: EventType
    at: datetime
    subject: str
    table_id: TableId | None
    catalog: str | None
    owner_team: str | None
    data: Mapping[str, Any]
