"""Add the instants at which each team was served last, which its turns go by.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table: no sharer was served yet."""
    op.create_table(
        "sharers",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("served_at", sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite"), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_sharers"),
    )
