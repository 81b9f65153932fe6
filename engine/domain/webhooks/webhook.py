"""A webhook, and the state of a delivery of one event to it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from engine.domain.access.callers import Caller
from engine.domain.ids import EventId, WebhookId
from engine.domain.webhooks.events import LINEAGE_STATES, EventType, FleetEvent

MOST_WEBHOOKS: Final = 100
"""Most webhooks of an installation: each event is compared with all of them."""

GONE: Final = 410
"""The status by which a receiver says that it wants no further events."""

WAITS: Final = (5, 60, 300, 1800, 7200, 21_600, 43_200, 86_400)
"""Seconds from each failed attempt to the next. After the last one the delivery is dead: about two days."""

LONGEST_WAIT_SECONDS: Final = 86_400
_SPREAD: Final = 0.2
_LEAST_SUCCESS: Final = 200
_MOST_SUCCESS: Final = 299


class WebhookFormat(StrEnum):
    """Format of the requests of a webhook."""

    CLOUDEVENTS = "cloudevents"
    OPENLINEAGE = "openlineage"
    """Events of runs only."""


class DeliveryState(StrEnum):
    """State of a delivery."""

    PENDING = "pending"
    DELIVERED = "delivered"
    DEAD = "dead"
    """Given up after the last attempt; it can be sent again on request."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """A receiver and the events that it gets.

    `events`, `teams` and `catalogs`: only events of these types, of tables of these teams, of these catalogs; None:
    all. Events without a team, such as outages, need `teams` None. `generation` numbers its secret; the one before
    signs too until `previous_until`. `failures`: deliveries that failed in a row.
    """

    id: WebhookId
    name: str
    url: str
    events: tuple[EventType, ...] | None
    teams: tuple[str, ...] | None
    catalogs: tuple[str, ...] | None
    enabled: bool
    disabled_reason: str | None
    generation: int
    previous_until: datetime | None
    failures: int
    version: int
    created_at: datetime
    created_by: str
    format: WebhookFormat = WebhookFormat.CLOUDEVENTS

    def passes(self, event: FleetEvent) -> bool:
        """Return whether the event passes its filters."""
        return (
            (self.events is None or event.type in self.events)
            and (self.format is not WebhookFormat.OPENLINEAGE or _is_lineage(event))
            and (self.teams is None or event.owner_team in self.teams)
            and (self.catalogs is None or event.catalog in self.catalogs)
        )

    def exists_for(self, caller: Caller) -> bool:
        """Return whether the caller sees it: all its teams are the caller's."""
        seen = caller.visible_teams
        return seen is None or (self.teams is not None and seen.issuperset(self.teams))

    def described(self) -> dict[str, Any]:
        """Return the fields that the audit log records. The address may have a token in its path, so only its host."""
        return {
            "name": self.name,
            "host": self.url.partition("://")[2].partition("/")[0],
            "format": self.format.value,
            "events": None if self.events is None else [each.value for each in self.events],
            "teams": self.teams,
            "catalogs": self.catalogs,
            "enabled": self.enabled,
        }


@dataclass(frozen=True, slots=True)
class EventDelivery:
    """The state of one event for one webhook. `status`: of the last answer, None without one; `problem`: why not."""

    webhook_id: WebhookId
    event: FleetEvent
    state: DeliveryState
    attempts: int
    next_at: datetime | None
    attempted_at: datetime | None
    status: int | None
    problem: str | None

    @property
    def event_id(self) -> EventId:
        """The id of its event, which every attempt sends."""
        return self.event.id


@dataclass(frozen=True, slots=True)
class ReceiverAnswer:
    """The answer of a receiver to one attempt: its status, or the problem that prevented one."""

    status: int | None
    problem: str | None
    retry_after_seconds: float | None = None

    @property
    def is_success(self) -> bool:
        """Whether it accepted the event."""
        return self.status is not None and _LEAST_SUCCESS <= self.status <= _MOST_SUCCESS


def _is_lineage(event: FleetEvent) -> bool:
    """Return whether an event has a meaning in OpenLineage; a run that never started has no START to end."""
    return event.type in LINEAGE_STATES and event.data.get("attempt") != 0


def wait_after(attempts: int, answer: ReceiverAnswer, chance: Callable[[], float]) -> timedelta | None:
    """Return the time from a failed attempt to the next; None: that was the last one.

    Args:
        attempts: attempts so far, with this one.
        answer: its `Retry-After` is followed if it is longer, up to a day.
        chance: returns a number from 0 to 1, so that receivers that failed together are not asked together.
    """
    if attempts > len(WAITS):
        return None
    seconds = WAITS[attempts - 1] * (1 + _SPREAD * (2 * chance() - 1))
    return timedelta(seconds=min(max(seconds, answer.retry_after_seconds or 0.0), LONGEST_WAIT_SECONDS))
