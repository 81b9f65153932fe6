"""Files that tables of a catalog may name outside of their own location: none, until an administrator allows it.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column with its check in one statement: SQLite adds a check only with a column."""
    op.execute(
        "ALTER TABLE catalogs ADD COLUMN outside_files VARCHAR(40) DEFAULT 'refuse' NOT NULL "
        "CONSTRAINT ck_catalogs_outside_files CHECK (outside_files IN ('allowed_locations', 'refuse'))"
    )
