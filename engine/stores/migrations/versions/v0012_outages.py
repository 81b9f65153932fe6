"""Dependencies that do not answer, and the runs that wait for them.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import VARCHAR

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table and the column: nothing is known to be away yet."""
    op.create_table(
        "outages",
        sa.Column("key", _ordered(240), nullable=False),
        sa.Column("dependency", sa.String(40), nullable=False),
        sa.Column("catalog", _ordered(200), nullable=False),
        sa.Column("table_id", _ordered(40), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("away_since", _time(), nullable=False),
        sa.Column("probes", sa.Integer(), nullable=False),
        sa.Column("next_probe_at", _time(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_outages"),
        sa.CheckConstraint("probes >= 0", name="ck_outages_probes"),
    )
    op.create_index("ix_outages_next_probe_at", "outages", ["next_probe_at"])
    op.add_column("runs", sa.Column("waits_on", sa.Text()))


def _ordered(length: int) -> Any:
    return sa.String(length).with_variant(VARCHAR(length, collation="C"), "postgresql")


def _time() -> Any:
    return sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite")
