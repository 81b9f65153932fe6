"""Columns of a failed proof in the table's row.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_WHOLE: Final = (
    "(frozen_at IS NULL) = (frozen_by IS NULL) AND (frozen_at IS NULL) = (frozen_snapshot_id IS NULL) "
    "AND (frozen_at IS NULL) = (freeze_reason IS NULL) AND (frozen_parent_id IS NULL OR frozen_at IS NOT NULL)"
)


def upgrade() -> None:
    """Add the columns: no table is frozen yet."""
    op.add_column("tables", sa.Column("frozen_at", sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite")))
    op.add_column("tables", sa.Column("frozen_by", sa.Text()))
    op.add_column("tables", sa.Column("frozen_snapshot_id", sa.BigInteger()))
    op.add_column("tables", sa.Column("frozen_parent_id", sa.BigInteger()))
    # With its check in one statement: SQLite adds a check only with a column.
    op.execute(f"ALTER TABLE tables ADD COLUMN freeze_reason TEXT CONSTRAINT ck_tables_freeze_whole CHECK ({_WHOLE})")
    condition = sa.text("frozen_at IS NOT NULL")
    op.create_index("ix_tables_frozen", "tables", ["id"], postgresql_where=condition, sqlite_where=condition)
