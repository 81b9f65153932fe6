"""The format of a webhook's requests.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a column; webhooks of before, and those that processes of the version before make, send CloudEvents."""
    op.execute(  # one statement for both databases: SQLite can add a check only with its column
        sa.text(
            "ALTER TABLE webhooks ADD COLUMN format VARCHAR(40) DEFAULT 'cloudevents' NOT NULL "
            "CONSTRAINT ck_webhooks_format CHECK (format IN ('cloudevents', 'openlineage'))"
        )
    )
