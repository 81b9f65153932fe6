"""Watches of registered tables, and who leads: the coordinator starts runs automatically.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import VARCHAR

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_SPREAD_SECONDS: Final = 600
"""Over so long the first looks at tables that are registered already are spread."""


def upgrade() -> None:
    """Add the tables, and a watch for each table that is registered."""
    watches = op.create_table(
        "watches",
        sa.Column("table_id", _ordered(40), nullable=False),
        sa.Column("phase", sa.Float(), nullable=False),
        sa.Column("next_at", _time(), nullable=False),
        sa.Column("interval_seconds", sa.Integer(), nullable=False),
        sa.Column("looked_at", _time()),
        sa.Column("changed_at", _time()),
        sa.Column("due_since", _time()),
        sa.Column("reconsider_at", _time()),
        sa.Column("verdict", sa.String(40), nullable=False),
        sa.Column("code", sa.Text()),
        sa.Column("pointer", sa.Text()),
        sa.Column("detail", sa.Text()),
        sa.PrimaryKeyConstraint("table_id", name="pk_watches"),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name="fk_watches_table_id", ondelete="CASCADE"),
        sa.CheckConstraint(
            "verdict IN ('disabled', 'held', 'new', 'not_due', 'submitted', 'unreachable')", name="ck_watches_verdict"
        ),
        sa.CheckConstraint("phase >= 0 AND phase < 1 AND interval_seconds > 0", name="ck_watches_pace"),
    )
    op.create_index("ix_watches_next_at_table_id", "watches", ["next_at", "table_id"])
    op.create_table(
        "leaders",
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", _time(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_leaders"),
        sa.CheckConstraint("token >= 1", name="ck_leaders_token"),
    )
    registered = op.get_bind().execute(sa.text("SELECT id FROM tables")).scalars().all()
    op.bulk_insert(watches, [_watch(table_id) for table_id in registered])


def _watch(table_id: str) -> dict[str, Any]:
    phase = int.from_bytes(hashlib.sha256(table_id.encode()).digest()[:8]) % 10_000 / 10_000
    at = datetime.now(UTC) + timedelta(seconds=phase * _SPREAD_SECONDS)
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    return {
        "table_id": table_id,
        "phase": phase,
        "next_at": at.strftime("%Y-%m-%dT%H:%M:%S.%fZ") if is_sqlite else at,
        "interval_seconds": 15,
        "verdict": "new",
    }


def _ordered(length: int) -> Any:
    return sa.String(length).with_variant(VARCHAR(length, collation="C"), "postgresql")


def _time() -> Any:
    return sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite")
