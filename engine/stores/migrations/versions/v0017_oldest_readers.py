"""Signals of kind `oldest_reader`.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from typing import Any, Final

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB, VARCHAR

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_KINDS: Final = "kind IN ('backpressure', 'commit', 'filters', 'oldest_reader', 'query_latency')"
_COLUMNS: Final = "id, table_id, kind, at, sent_by, value"


def upgrade() -> None:
    """Allow one more kind; what processes of the version before write stays valid."""
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint("ck_signals_kind", "signals")
        op.create_check_constraint("ck_signals_kind", "signals", _KINDS)
    else:
        _rebuild_on_sqlite()


def _rebuild_on_sqlite() -> None:
    """Copy the table: SQLite can't change a CHECK. No other table refers to it."""
    op.create_table(
        "signals_0016",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("table_id", _ordered(40)),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("at", sa.String(27), nullable=False),
        sa.Column("sent_by", sa.Text(), nullable=False),
        sa.Column("value", sa.JSON().with_variant(JSONB(), "postgresql"), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_signals"),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name="fk_signals_table_id", ondelete="CASCADE"),
        sa.CheckConstraint(_KINDS, name="ck_signals_kind"),
    )
    op.execute(f"INSERT INTO signals_0016 ({_COLUMNS}) SELECT {_COLUMNS} FROM signals")  # noqa: S608 - constants
    op.drop_table("signals")
    op.rename_table("signals_0016", "signals")
    op.create_index("ix_signals_table_id_kind_id", "signals", ["table_id", "kind", "id"])


def _ordered(length: int) -> Any:
    return sa.String(length).with_variant(VARCHAR(length, collation="C"), "postgresql")
