"""Workers and coordinators that reported that they are alive.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; processes of earlier versions do not report, and do not count as alive."""
    op.create_table(
        "processes",
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite"), nullable=False),
        sa.PrimaryKeyConstraint("kind", "holder", name="pk_processes"),
    )
