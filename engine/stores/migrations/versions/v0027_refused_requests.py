"""Refusals of requests with an idempotency key.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the count; entries of requests that earlier versions are processing are taken over at once."""
    op.add_column("idempotency_keys", sa.Column("refusals", sa.Integer(), nullable=False, server_default=sa.text("0")))
