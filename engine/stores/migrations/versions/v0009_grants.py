"""Grants of catalogs to teams.

A catalog that exists keeps what every owner could do until now, as a grant that can be seen and taken away: each team
may register tables from it. New catalogs begin without grants.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from typing import Final

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_AS_UNTIL_NOW: Final = '[{"team": "*", "namespaces": ["*"], "rights": ["register"]}]'


def upgrade() -> None:
    """Add the column; processes of the version before create catalogs without grants."""
    kind = sa.JSON().with_variant(JSONB(), "postgresql")
    op.add_column("catalogs", sa.Column("grants", kind, nullable=False, server_default=sa.text("'[]'")))
    catalogs = sa.table("catalogs", sa.column("grants", sa.Text()))
    value = sa.cast(sa.literal(_AS_UNTIL_NOW), kind) if op.get_bind().dialect.name == "postgresql" else _AS_UNTIL_NOW
    op.execute(sa.update(catalogs).values(grants=value))
