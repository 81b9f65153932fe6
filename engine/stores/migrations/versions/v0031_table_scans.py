"""Scans of tables, by hour and filtered columns.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB, VARCHAR

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table, empty."""
    op.create_table(
        "table_scans",
        sa.Column("table_id", sa.String(40).with_variant(VARCHAR(40, collation="C"), "postgresql"), nullable=False),
        sa.Column("hour", _time(), nullable=False),
        sa.Column("columns_key", sa.String(64), nullable=False),
        sa.Column("columns", sa.JSON().with_variant(JSONB(), "postgresql"), nullable=False),
        *(
            sa.Column(name, sa.BigInteger(), nullable=False)
            for name in ("scans", "result_files", "delete_files", "planning_ms")
        ),
        sa.PrimaryKeyConstraint("table_id", "hour", "columns_key", name="pk_table_scans"),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name="fk_table_scans_table_id", ondelete="CASCADE"),
    )
    op.create_index("ix_table_scans_hour", "table_scans", ["hour"])


def _time() -> Any:
    return sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite")
