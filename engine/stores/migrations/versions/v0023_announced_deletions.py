"""Add the time of the last change that deletes more of a table: deletions announced before it are announced again.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column: no such change is known."""
    op.add_column("watches", sa.Column("deletes_more_since", _time()))


def _time() -> Any:
    return sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite")
