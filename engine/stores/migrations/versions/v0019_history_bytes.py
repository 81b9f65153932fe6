"""Bytes of files that only old snapshots of a table need.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_COLUMNS: Final = [
    "table_id",
    "file_count",
    "small_file_count",
    "avoidable_file_count",
    "total_bytes",
    "score",
    "history_bytes",
]


def upgrade() -> None:
    """Add a column that is null in measurements of earlier versions, and to the index of the fleet's sums.

    The next measurement of a table has it. Queries of the version before use the new index as well.
    """
    op.add_column("measurements", sa.Column("history_bytes", sa.BigInteger()))
    op.drop_index("ix_measurements_sums", table_name="measurements")
    latest = sa.text("is_latest")
    op.create_index("ix_measurements_sums", "measurements", _COLUMNS, postgresql_where=latest, sqlite_where=latest)
