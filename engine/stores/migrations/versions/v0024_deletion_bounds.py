"""The bound up to which deletions of a table were acknowledged: a deletion above it waits for a person.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column: no bound is known."""
    op.add_column("watches", sa.Column("deletions_up_to", sa.JSON().with_variant(JSONB(), "postgresql")))
