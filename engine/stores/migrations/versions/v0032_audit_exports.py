"""Positions of the export of the audit log.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table, empty. Processes of earlier versions prune without regard to it."""
    op.create_table(
        "audit_exports",
        sa.Column("folder", sa.Text(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("exported_at", sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite"), nullable=False),
        sa.PrimaryKeyConstraint("folder", name="pk_audit_exports"),
        sa.CheckConstraint("sequence >= 1", name="ck_audit_exports_sequence"),
    )
