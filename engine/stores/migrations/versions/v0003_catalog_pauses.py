"""The kill switch of a catalog, in the catalog's row.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_WHOLE: Final = (
    "(paused_at IS NULL) = (paused_by IS NULL) AND (paused_at IS NULL) = (pause_reason IS NULL) "
    "AND (paused_at IS NULL) = (pause_stops IS NULL)"
)


def upgrade() -> None:
    """Add the columns: no catalog is paused yet."""
    op.add_column("catalogs", sa.Column("paused_at", sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite")))
    op.add_column("catalogs", sa.Column("paused_by", sa.Text()))
    op.add_column("catalogs", sa.Column("pause_reason", sa.Text()))
    # With its check in one statement: SQLite adds a check only with a column.
    op.execute(
        f"ALTER TABLE catalogs ADD COLUMN pause_stops BOOLEAN CONSTRAINT ck_catalogs_pause_whole CHECK ({_WHOLE})"
    )
    condition = sa.text("paused_at IS NOT NULL")
    op.create_index("ix_catalogs_paused", "catalogs", ["name"], postgresql_where=condition, sqlite_where=condition)
