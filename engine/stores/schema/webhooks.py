"""The tables of webhooks: receivers, events and deliveries."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from engine.domain.webhooks.events import EventType
from engine.domain.webhooks.webhook import DeliveryState, WebhookFormat
from engine.stores.schema.core import metadata
from engine.stores.sql.dialects import ID_LENGTH, NAME_LENGTH, EnumText, UtcTime, document, one_of, ordered_text

__all__ = ["fleet_events", "metadata", "webhook_deliveries", "webhooks"]

_PENDING = text("state = 'pending'")
_DEAD = text("state = 'dead'")
_NEW = text("is_distributed = false")

webhooks = Table(
    "webhooks",
    metadata,
    Column("id", ordered_text(ID_LENGTH), primary_key=True),
    Column("name", String(NAME_LENGTH), nullable=False),
    Column("url", Text, nullable=False),
    Column("events", document(), nullable=False),  # a list of types; null: all
    Column("teams", document(), nullable=False),
    Column("catalogs", document(), nullable=False),
    Column("enabled", Boolean, nullable=False),
    Column("disabled_reason", Text),
    Column("generation", Integer, nullable=False),  # of the secret, which is derived from the deployment's key
    Column("previous_until", UtcTime),
    Column("failures", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("format", EnumText(WebhookFormat), nullable=False, server_default="cloudevents"),
    CheckConstraint(one_of("format", WebhookFormat), name="format"),
    CheckConstraint("version >= 1 AND generation >= 1 AND failures >= 0", name="counts"),
    CheckConstraint("disabled_reason IS NULL OR NOT enabled", name="reason_of_disabled"),
    UniqueConstraint("name", name="name"),
)

fleet_events = Table(
    "fleet_events",
    metadata,
    Column("sequence", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("id", ordered_text(ID_LENGTH), nullable=False),
    Column("type", EnumText(EventType), nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("subject", Text, nullable=False),
    Column("table_id", ordered_text(ID_LENGTH)),  # no foreign key: events outlive the registration
    Column("catalog", ordered_text(NAME_LENGTH)),
    Column("owner_team", String(NAME_LENGTH)),
    Column("data", document(), nullable=False),
    Column("is_distributed", Boolean, nullable=False),
    UniqueConstraint("id", name="id"),
    Index("ix_fleet_events_at", "at"),
    Index("ix_fleet_events_new", "sequence", postgresql_where=_NEW, sqlite_where=_NEW),
)
"""Events by the order of their insertion; `is_distributed`: its deliveries exist."""

webhook_deliveries = Table(
    "webhook_deliveries",
    metadata,
    Column("webhook_id", ordered_text(ID_LENGTH), ForeignKey("webhooks.id", ondelete="CASCADE"), nullable=False),
    Column("sequence", BigInteger, ForeignKey("fleet_events.sequence", ondelete="CASCADE"), nullable=False),
    Column("order_key", ordered_text(ID_LENGTH), nullable=False),  # the table's id, "" for all other events
    Column("state", EnumText(DeliveryState), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_at", UtcTime),
    Column("attempted_at", UtcTime),
    Column("status", Integer),
    Column("problem", Text),
    PrimaryKeyConstraint("webhook_id", "sequence"),
    CheckConstraint(one_of("state", DeliveryState), name="state"),
    CheckConstraint("(next_at IS NOT NULL) = (state = 'pending')", name="next_if_pending"),
    CheckConstraint("attempts >= 0 AND (attempts > 0) = (attempted_at IS NOT NULL)", name="attempts"),
    Index("ix_webhook_deliveries_sequence", "sequence"),
    Index(
        "ix_webhook_deliveries_pending",
        "webhook_id",
        "order_key",
        "sequence",
        postgresql_where=_PENDING,
        sqlite_where=_PENDING,
    ),
    Index("ix_webhook_deliveries_dead", "webhook_id", "sequence", postgresql_where=_DEAD, sqlite_where=_DEAD),
)
"""One row for each event that a webhook wants. Of one table, the oldest pending one is sent first."""
