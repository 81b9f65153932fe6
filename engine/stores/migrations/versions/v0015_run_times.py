"""Times of attempts at rewrites, which predictions use, and an index of the events that begin and end attempts.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import VARCHAR

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_KINDS = ("pack", "decode", "sort", "zorder", "hilbert", "native")
_BOUNDS_OF_ATTEMPTS = "to_state NOT IN ('rewriting', 'committing') OR kind IN ('held_back', 'let_go')"


def upgrade() -> None:
    """Add the table and the index: nothing has been measured yet."""
    kinds = ", ".join(f"'{kind}'" for kind in _KINDS)
    op.create_table(
        "run_times",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("table_id", _ordered(40), nullable=False),
        sa.Column("machine", sa.String(200), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("lanes", sa.Integer(), nullable=False),
        sa.Column("groups", sa.Integer(), nullable=False),
        sa.Column("files", sa.BigInteger(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_run_times"),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name="fk_run_times_table_id_tables", ondelete="CASCADE"),
        sa.CheckConstraint(f"kind IN ({kinds})", name="ck_run_times_kind"),
        sa.CheckConstraint(
            "lanes >= 1 AND groups >= 1 AND files >= 0 AND bytes >= 0 AND seconds > 0", name="ck_run_times_amounts"
        ),
    )
    op.create_index("ix_run_times_table_id_id", "run_times", ["table_id", "id"])
    op.create_index(
        "ix_run_events_attempts",
        "run_events",
        ["run_id", "sequence"],
        postgresql_where=sa.text(_BOUNDS_OF_ATTEMPTS),
        sqlite_where=sa.text(_BOUNDS_OF_ATTEMPTS),
    )


def _ordered(length: int) -> Any:
    return sa.String(length).with_variant(VARCHAR(length, collation="C"), "postgresql")
