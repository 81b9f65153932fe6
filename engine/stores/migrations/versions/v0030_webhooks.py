"""Webhooks, their events and deliveries.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB, VARCHAR

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the three tables, empty. Changes that processes of earlier versions make are not announced."""
    op.create_table(
        "webhooks",
        sa.Column("id", _ordered(40), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("events", _document(), nullable=False),
        sa.Column("teams", _document(), nullable=False),
        sa.Column("catalogs", _document(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("disabled_reason", sa.Text()),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("previous_until", _time()),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", _time(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
        sa.UniqueConstraint("name", name="uq_webhooks_name"),
        sa.CheckConstraint("version >= 1 AND generation >= 1 AND failures >= 0", name="ck_webhooks_counts"),
        sa.CheckConstraint("disabled_reason IS NULL OR NOT enabled", name="ck_webhooks_reason_of_disabled"),
    )
    op.create_table(
        "fleet_events",
        sa.Column("sequence", _number(), nullable=False, autoincrement=True),
        sa.Column("id", _ordered(40), nullable=False),
        sa.Column("type", sa.String(40), nullable=False),
        sa.Column("at", _time(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("table_id", _ordered(40)),
        sa.Column("catalog", _ordered(200)),
        sa.Column("owner_team", sa.String(200)),
        sa.Column("data", _document(), nullable=False),
        sa.Column("is_distributed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("sequence", name="pk_fleet_events"),
        sa.UniqueConstraint("id", name="uq_fleet_events_id"),
    )
    op.create_index("ix_fleet_events_at", "fleet_events", ["at"])
    _index_where("ix_fleet_events_new", "fleet_events", ["sequence"], "is_distributed = false")
    op.create_table(
        "webhook_deliveries",
        sa.Column("webhook_id", _ordered(40), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("order_key", _ordered(40), nullable=False),
        sa.Column("state", sa.String(40), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", _time()),
        sa.Column("attempted_at", _time()),
        sa.Column("status", sa.Integer()),
        sa.Column("problem", sa.Text()),
        sa.PrimaryKeyConstraint("webhook_id", "sequence", name="pk_webhook_deliveries"),
        sa.ForeignKeyConstraint(
            ["webhook_id"], ["webhooks.id"], name="fk_webhook_deliveries_webhook_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["sequence"], ["fleet_events.sequence"], name="fk_webhook_deliveries_sequence", ondelete="CASCADE"
        ),
        sa.CheckConstraint("state IN ('dead', 'delivered', 'pending')", name="ck_webhook_deliveries_state"),
        sa.CheckConstraint("(next_at IS NOT NULL) = (state = 'pending')", name="ck_webhook_deliveries_next_if_pending"),
        sa.CheckConstraint(
            "attempts >= 0 AND (attempts > 0) = (attempted_at IS NOT NULL)", name="ck_webhook_deliveries_attempts"
        ),
    )
    op.create_index("ix_webhook_deliveries_sequence", "webhook_deliveries", ["sequence"])
    _index_where(
        "ix_webhook_deliveries_pending",
        "webhook_deliveries",
        ["webhook_id", "order_key", "sequence"],
        "state = 'pending'",
    )
    _index_where("ix_webhook_deliveries_dead", "webhook_deliveries", ["webhook_id", "sequence"], "state = 'dead'")


def _index_where(name: str, table: str, columns: list[str], condition: str) -> None:
    where = sa.text(condition)
    op.create_index(name, table, columns, postgresql_where=where, sqlite_where=where)


def _document() -> Any:
    return sa.JSON().with_variant(JSONB(), "postgresql")


def _number() -> Any:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _ordered(length: int) -> Any:
    return sa.String(length).with_variant(VARCHAR(length, collation="C"), "postgresql")


def _time() -> Any:
    return sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite")
