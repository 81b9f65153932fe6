"""Locations of tables, by which events of stores find them, and the events that were received lately.

The first is filled by coordinators after the migration, from the locations that tables were registered with; further
locations of a table are added when it is measured. Written out in full, not taken from the code: a migration must mean
the same for ever.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import VARCHAR

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add both tables, empty."""
    op.create_table(
        "table_locations",
        sa.Column("key", sa.String(64), nullable=False),
        _table_id(),
        sa.Column("location", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", "table_id", name="pk_table_locations"),
        _reference("table_locations"),
    )
    op.create_index("ix_table_locations_table_id", "table_locations", ["table_id"])
    op.create_table(
        "received_events",
        _table_id(),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite"), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "key", name="pk_received_events"),
        _reference("received_events"),
    )
    op.create_index("ix_received_events_table_id_at", "received_events", ["table_id", "at"])
    op.create_index("ix_received_events_at", "received_events", ["at"])


def _table_id() -> sa.Column[Any]:
    return sa.Column("table_id", sa.String(40).with_variant(VARCHAR(40, collation="C"), "postgresql"), nullable=False)


def _reference(name: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name=f"fk_{name}_table_id", ondelete="CASCADE")
