"""Add the instants at which queued runs become urgent.

Runs that are live already never do, unless a policy over them changes that.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the instant, and an index of the queued runs that have one."""
    op.add_column("runs", sa.Column("urgent_at", _time()))
    where = sa.text("state = 'queued' AND urgent_at IS NOT NULL")
    op.create_index("ix_runs_urgent", "runs", ["urgent_at", "id"], postgresql_where=where, sqlite_where=where)


def _time() -> Any:
    return sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite")
