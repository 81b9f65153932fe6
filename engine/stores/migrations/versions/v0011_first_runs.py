"""Until when a newly registered table waits for its first automatic run: not at all where it is registered already.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("watches", sa.Column("grace_until", sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite")))
