"""The oldest schema that a process must know to use the database (`stores.migrations.compatibility`).

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None
oldest_supported = "0001"


def upgrade() -> None:
    """Add the table with its row: every version so far can use this schema."""
    table = op.create_table(
        "schema_support",
        sa.Column("id", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("oldest_supported", sa.String(40), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_schema_support"),
        sa.CheckConstraint("id = 1", name="ck_schema_support_single"),
    )
    op.bulk_insert(table, [{"id": 1, "oldest_supported": "0001"}])
