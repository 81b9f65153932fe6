"""Webhooks and their deliveries on the wire. A secret is in two answers only: those of its making and its rotation."""

from dataclasses import asdict
from typing import Annotated, Self

from pydantic import ConfigDict, Field

from api.schemas.common import Answer, Instant, JsonObject, Listed, OwnerTeam, Request, Text
from engine.domain.values.strict import Instant as WrittenInstant
from engine.domain.values.strict import OneLine
from engine.domain.webhooks import webhook as domain
from engine.domain.webhooks.events import EventType
from engine.domain.webhooks.webhook import DeliveryState, WebhookFormat
from engine.services.webhooks.service import Repeated, WebhookRequest

_EXAMPLE: JsonObject = {
    "name": "on-call",
    "url": "https://hooks.example.com/packhouse",
    "events": ["run.failed", "table.frozen"],
    "teams": ["sales"],
}
CatalogName = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
_EVENTS = Field(
    default=None,
    description="Types of the events that it gets; null for every type.",
    examples=[["run.failed", "table.frozen"]],
)
_TEAMS = Field(
    default=None,
    description="Only events of tables of these teams; null for every event, also of tables without a team, outages "
    "and policies of wider scopes. Callers of some teams have to name teams of theirs.",
    examples=[["sales"]],
)
_CATALOGS = Field(default=None, description="Only events of these catalogs; null for all.", examples=[["lake"]])
_FORMAT = Field(
    default=WebhookFormat.CLOUDEVENTS,
    examples=["cloudevents"],
    description="Format of its requests. `openlineage`: run events of OpenLineage, for events of runs only; the format "
    "of a webhook can't be changed.",
)
_ENABLED = Field(default=True, description="False: it gets no events, and those that wait stay.")


class WebhookWrite(Request):
    """A webhook as its owner writes it."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    name: str = Field(
        description="Name of the webhook; no other one has it.",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
        examples=["on-call"],
    )
    url: Annotated[OneLine, Field(min_length=1, max_length=2000)] = Field(
        description="Address of the receiver: `https://` and a public host; `PACKHOUSE_WEBHOOK_ALLOW` lists others.",
        examples=["https://hooks.example.com/packhouse"],
        json_schema_extra={"pattern": "^[hH][tT][tT][pP][sS]?://[!-~]+$"},
    )
    events: Annotated[list[EventType], Field(min_length=1, max_length=len(EventType))] | None = _EVENTS
    teams: Annotated[list[OwnerTeam], Field(min_length=1, max_length=100)] | None = _TEAMS
    catalogs: Annotated[list[CatalogName], Field(min_length=1, max_length=100)] | None = _CATALOGS
    enabled: bool = _ENABLED
    format: WebhookFormat = _FORMAT

    def to_domain(self) -> WebhookRequest:
        """Return the fields of the webhook."""
        lists = {
            name: None if given is None else tuple(sorted(set(given)))
            for name, given in (("teams", self.teams), ("catalogs", self.catalogs))
        }
        events = None if self.events is None else tuple(sorted(set(self.events)))
        return WebhookRequest(self.name, self.url, events, enabled=self.enabled, format=self.format, **lists)


class Webhook(Answer):
    """A webhook, without its secret."""

    id: str = Field(examples=["whk_01jd2m6v8n4q0x7y3k5r9t1wbz"])
    name: str
    url: Text = Field(description="Address of the receiver.")
    events: list[EventType] | None = _EVENTS
    teams: list[str] | None = _TEAMS
    catalogs: list[str] | None = _CATALOGS
    enabled: bool = _ENABLED
    format: WebhookFormat = _FORMAT
    disabled_reason: str | None = Field(
        default=None,
        description="Why it was disabled automatically: its receiver answered 410. Enabling it clears this.",
    )
    failures: int = Field(
        description="Requests that failed since the last one that did not; it gets one at a time then."
    )
    previous_secret_until: Instant | None = Field(
        default=None, description="Until then requests are signed with the secret before as well."
    )
    version: int = Field(description="The version for `If-Match`.")
    created_at: Instant
    created_by: str

    @classmethod
    def from_domain(cls, given: domain.Webhook) -> Self:
        """Return the wire form."""
        return cls(
            id=given.id,
            name=given.name,
            url=given.url,
            events=None if given.events is None else list(given.events),
            teams=None if given.teams is None else list(given.teams),
            catalogs=None if given.catalogs is None else list(given.catalogs),
            enabled=given.enabled,
            format=given.format,
            disabled_reason=given.disabled_reason,
            failures=given.failures,
            previous_secret_until=given.previous_until,
            version=given.version,
            created_at=given.created_at,
            created_by=given.created_by,
        )


class WebhookWithSecret(Webhook):
    """A webhook with a new secret."""

    secret: str = Field(
        description="Receivers check signatures with it, as standardwebhooks.com describes.",
        examples=["whsec_C2FVsBQ…"],
    )

    @classmethod
    def of(cls, given: domain.Webhook, secret: str) -> Self:
        """Return the wire form."""
        return cls(**Webhook.from_domain(given).model_dump(), secret=secret)


class WebhookList(Listed[Webhook, domain.Webhook]):
    """Webhooks, oldest first."""


class WebhookTest(Answer):
    """The answer to a test."""

    ok: bool = Field(description="Whether the receiver answered with a status from 200 to 299.")
    status: int | None = Field(description="Status of the answer; null without one.")
    problem: Text | None = Field(description="Why there was no answer; null with one.")

    @classmethod
    def from_domain(cls, answer: domain.ReceiverAnswer) -> Self:
        """Return the wire form."""
        return cls(ok=answer.is_success, status=answer.status, problem=answer.problem)


class WebhookDelivery(Answer):
    """One event for a webhook."""

    event_id: str = Field(
        description="Id of the event, which every attempt sends as `webhook-id`.",
        examples=["evt_01jd2m6v8n4q0x7y3k5r9t1wbz"],
    )
    type: EventType = Field(description="Type of the event.")
    subject: Text = Field(
        description="Address of the table, or name of the catalog or policy; `fleet` for all.",
        examples=["lake.sales.orders"],
    )
    at: Instant = Field(description="Instant of the event.")
    state: DeliveryState = Field(description="`dead`: given up after nine attempts, about two days.")
    attempts: int = Field(description="Requests so far.")
    next_at: Instant | None = Field(description="Instant of the next attempt; null unless pending.")
    attempted_at: Instant | None = Field(description="Instant of the last attempt.")
    status: int | None = Field(description="Status of the last answer; null without one.")
    problem: Text | None = Field(description="Why there was no answer.")

    @classmethod
    def from_domain(cls, given: domain.EventDelivery) -> Self:
        """Return the wire form."""
        return cls(
            event_id=given.event_id,
            type=given.event.type,
            subject=given.event.subject,
            at=given.event.at,
            state=given.state,
            attempts=given.attempts,
            next_at=given.next_at,
            attempted_at=given.attempted_at,
            status=given.status,
            problem=given.problem,
        )


class WebhookDeliveryList(Listed[WebhookDelivery, domain.EventDelivery]):
    """Deliveries, those of the newest events first."""


class RepeatRequest(Request):
    """A time whose events are sent again."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"since": "2026-11-01T10:00:00Z"}]})

    since: WrittenInstant = Field(description="Begin of the time; events are kept for 30 days.")
    until: WrittenInstant | None = Field(default=None, description="End of the time; null for now.")


class Repetition(Answer):
    """Events that are sent again."""

    events: int = Field(description="Number of the events that the webhook's filters let pass.")
    since: Instant = Field(description="Begin of the time: not before the oldest events, which are kept for 30 days.")
    continue_from: Instant | None = Field(
        description="`since` of the next request if the time has more events than one request looks at, 10,000."
    )

    @classmethod
    def from_domain(cls, repeated: Repeated) -> Self:
        """Return the wire form."""
        return cls(**asdict(repeated))
