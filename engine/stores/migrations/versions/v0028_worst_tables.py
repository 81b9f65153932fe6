"""The index of the list of tables, which begins with the most files to save.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

_NAME = "ix_measurements_rank"


def upgrade() -> None:
    """Replace the index by benefit per cost, the first key of the list until now."""
    op.drop_index(_NAME, "measurements")
    columns, latest = ["avoidable_file_count", "table_id"], sa.text("is_latest")
    op.create_index(_NAME, "measurements", columns, sqlite_where=latest, postgresql_where=latest)
