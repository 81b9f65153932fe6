"""Keys of the role `planner`.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

_BEFORE: Final = "role IN ('admin', 'operator', 'owner', 'viewer')"
_AFTER: Final = "role IN ('admin', 'operator', 'owner', 'planner', 'viewer')"


def upgrade() -> None:
    """Allow one more role; processes of the version before refuse its keys."""
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint("ck_api_keys_role", "api_keys")
        op.create_check_constraint("ck_api_keys_role", "api_keys", _AFTER)
    else:
        _replace_on_sqlite()


def _replace_on_sqlite() -> None:
    """Change the check in the stored schema, as https://www.sqlite.org/lang_altertable.html#otheralter describes."""
    connection = op.get_bind()
    number = connection.execute(sa.text("PRAGMA schema_version")).scalar_one()
    connection.execute(sa.text("PRAGMA writable_schema = ON"))
    changed = connection.execute(
        sa.text(
            "UPDATE sqlite_schema SET sql = replace(sql, :before, :after) "
            "WHERE type = 'table' AND name = 'api_keys' AND instr(sql, :before) > 0"
        ),
        {"before": f"ck_api_keys_role CHECK ({_BEFORE})", "after": f"ck_api_keys_role CHECK ({_AFTER})"},
    )
    if changed.rowcount != 1:
        raise RuntimeError("api_keys has no check of roles as this migration expects it")
    connection.execute(sa.text(f"PRAGMA schema_version = {int(number) + 1}"))
    connection.execute(sa.text("PRAGMA writable_schema = OFF"))
