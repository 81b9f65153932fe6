"""Lost races by partition and in the totals, breakers of catalogs, and the end of a table's rest.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB, VARCHAR

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add tables and columns: nothing is hot or open yet, and nothing was counted."""
    op.create_table(
        "hot_partitions",
        sa.Column("table_id", _ordered(40), nullable=False),
        sa.Column("partition_key", sa.String(64), nullable=False),
        sa.Column("spec_id", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), nullable=False),
        sa.Column("lost_at", _time(), nullable=False),
        sa.Column("cools_until", _time(), nullable=False),
        sa.Column("wasted_bytes", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("run_id", _ordered(40), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "partition_key", name="pk_hot_partitions"),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name="fk_hot_partitions_table_id", ondelete="CASCADE"),
        sa.CheckConstraint("losses >= 1 AND wasted_bytes >= 0", name="ck_hot_partitions_counts"),
        sa.CheckConstraint("cools_until > lost_at", name="ck_hot_partitions_cools"),
    )
    op.create_index("ix_hot_partitions_table_id_cools_until", "hot_partitions", ["table_id", "cools_until"])
    op.create_index("ix_hot_partitions_cools_until", "hot_partitions", ["cools_until"])
    for name in ("groups_committed", "groups_lost", "wasted_bytes"):
        op.add_column("run_totals", sa.Column(name, sa.BigInteger(), nullable=False, server_default=sa.text("0")))
    op.create_table(
        "breakers",
        sa.Column("catalog", _ordered(200), nullable=False),
        sa.Column("times_open", sa.Integer(), nullable=False),
        sa.Column("open_until", _time()),
        sa.Column("probe_until", _time()),
        sa.Column("failed_at", _time(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("failed_tables", _document(), nullable=False),
        sa.PrimaryKeyConstraint("catalog", name="pk_breakers"),
        sa.ForeignKeyConstraint(["catalog"], ["catalogs.name"], name="fk_breakers_catalog", ondelete="CASCADE"),
        sa.CheckConstraint(
            "times_open >= 0 AND (times_open > 0) = (open_until IS NOT NULL)", name="ck_breakers_open_until_an_instant"
        ),
        sa.CheckConstraint("probe_until IS NULL OR open_until IS NOT NULL", name="ck_breakers_probe_of_open"),
    )
    op.add_column("watches", sa.Column("rest_ended_at", _time()))


def _ordered(length: int) -> Any:
    return sa.String(length).with_variant(VARCHAR(length, collation="C"), "postgresql")


def _time() -> Any:
    return sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite")


def _document() -> Any:
    return sa.JSON().with_variant(JSONB(), "postgresql")
