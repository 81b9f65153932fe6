"""Health scores in the index of the fleet's sums, so that no wide row is read for the scores of catalogs and teams."""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_COLUMNS: Final = ["table_id", "file_count", "small_file_count", "avoidable_file_count", "total_bytes", "score"]


def upgrade() -> None:
    """Replace the index; queries of the version before use the new one as well."""
    op.drop_index("ix_measurements_sums", table_name="measurements")
    latest = sa.text("is_latest")
    op.create_index("ix_measurements_sums", "measurements", _COLUMNS, postgresql_where=latest, sqlite_where=latest)
