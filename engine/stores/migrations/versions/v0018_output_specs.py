"""The partition spec of a file group's outputs.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a column that is null where outputs stay in the partition of their inputs.

    A process of the version before that commits a group with another spec ignores the column: it then gives the outputs
    the partition of the inputs, to which all their rows belong too.
    """
    op.add_column("file_groups", sa.Column("output_spec_id", sa.Integer()))
