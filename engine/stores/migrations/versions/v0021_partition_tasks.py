"""The table, partition and start of each file group, to find the newest groups of a partition.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from typing import Any, Final

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import VARCHAR

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_INDEXED: Final = ["table_id", "partition_key", "run_id"]


def upgrade() -> None:
    """Add three columns that are null in groups of earlier versions, and the index.

    Groups that earlier versions planned are not found by partition; the next run of their partition is.
    """
    op.add_column("file_groups", sa.Column("table_id", _ordered(40)))
    op.add_column("file_groups", sa.Column("partition_key", sa.String(64)))
    op.add_column("file_groups", sa.Column("started_at", _time()))
    op.create_index("ix_file_groups_partition", "file_groups", _INDEXED)


def _ordered(length: int) -> Any:
    return sa.String(length).with_variant(VARCHAR(length, collation="C"), "postgresql")


def _time() -> Any:
    return sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite")
