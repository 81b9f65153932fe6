"""Slots of runs under the fleet's limit of rewrite tasks.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import VARCHAR

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; workers of earlier versions do not know the limit, and their tasks are not counted."""
    op.create_table(
        "task_slots",
        sa.Column("run_id", sa.String(40).with_variant(VARCHAR(40, collation="C"), "postgresql"), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("held", sa.Integer(), nullable=False),
        sa.Column("waits_since", _time()),
        sa.Column("seen_at", _time(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", name="pk_task_slots"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_task_slots_run_id", ondelete="CASCADE"),
        sa.CheckConstraint("attempt >= 1 AND held >= 0", name="ck_task_slots_counts"),
    )


def _time() -> Any:
    return sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite")
