"""Activity of the fleet by hour and team, for its history.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from typing import Any, Final

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import VARCHAR

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_TERMINAL: Final = "'cancelled', 'failed', 'skipped', 'succeeded'"
_OF_RUNS: Final = ("runs", "rewritten_files", "rewritten_bytes", "wasted_bytes", "groups_committed", "groups_lost")
_SAMPLED: Final = (
    *("measured_tables", "file_count", "small_file_count", "avoidable_file_count", "total_bytes", "history_bytes"),
)


def upgrade() -> None:
    """Add both tables, empty: the history starts with this version.

    Processes of the version before add nothing to them, so hours in which they work are counted in part.
    """
    op.create_table(
        "run_hours",
        sa.Column("hour", _time(), nullable=False),
        sa.Column("owner_team", _ordered(200), nullable=False),
        sa.Column("state", sa.String(40), nullable=False),
        *(_counted(name) for name in _OF_RUNS),
        sa.PrimaryKeyConstraint("hour", "owner_team", "state", name="pk_run_hours"),
        sa.CheckConstraint(f"state IN ({_TERMINAL})", name="ck_run_hours_state"),
    )
    op.create_table(
        "table_hours",
        sa.Column("hour", _time(), nullable=False),
        sa.Column("owner_team", _ordered(200), nullable=False),
        _counted("small_files_made"),
        _counted("small_files_removed"),
        sa.Column("sampled_at", _time()),
        *(sa.Column(name, sa.BigInteger()) for name in _SAMPLED),
        sa.PrimaryKeyConstraint("hour", "owner_team", name="pk_table_hours"),
        sa.CheckConstraint(
            "(sampled_at IS NULL) = (measured_tables IS NULL)",
            name="ck_table_hours_sample_whole",
        ),
    )


def _counted(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.BigInteger(), nullable=False, server_default=sa.text("0"))


def _ordered(length: int) -> Any:
    return sa.String(length).with_variant(VARCHAR(length, collation="C"), "postgresql")


def _time() -> Any:
    return sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite")
