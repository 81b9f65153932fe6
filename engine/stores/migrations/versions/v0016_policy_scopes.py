"""Policies of teams and of labels, and a message with each version of a policy.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from typing import Any, Final

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB, VARCHAR

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_KINDS: Final = "kind IN ('catalog', 'fleet', 'label', 'namespace', 'pattern', 'table', 'team')"
_OF_NEW_KINDS: Final = {
    "team_fits_kind": "(team IS NOT NULL) = (kind = 'team')",
    "label_fits_kind": "(label_key IS NOT NULL) = (kind = 'label') AND (label_value IS NOT NULL) = (kind = 'label')",
}
_OF_OLD_KINDS: Final = {
    "version": "version >= 1",
    "catalog_fits_kind": "(catalog IS NOT NULL) = (kind IN ('catalog', 'namespace'))",
    "namespace_fits_kind": "(namespace IS NOT NULL) = (kind = 'namespace')",
    "pattern_fits_kind": "(pattern IS NOT NULL) = (kind = 'pattern')",
    "table_fits_kind": "(table_id IS NOT NULL) = (kind = 'table')",
    "table_is_name": "table_id IS NULL OR table_id = name",
}
_OLD_COLUMNS: Final = "name, kind, catalog, namespace, pattern, table_id, version, updated_at, updated_by, document"


def upgrade() -> None:
    """Add columns and two kinds; what processes of the version before write stays valid."""
    op.add_column("policy_versions", sa.Column("message", sa.Text()))
    if op.get_bind().dialect.name == "postgresql":
        for column in _new_columns():
            op.add_column("policies", column)
        op.drop_constraint("ck_policies_kind", "policies")
        op.create_check_constraint("ck_policies_kind", "policies", _KINDS)
        for name, condition in _OF_NEW_KINDS.items():
            op.create_check_constraint(f"ck_policies_{name}", "policies", condition)
    else:
        _rebuild_on_sqlite()
    _index("uq_policies_team", ["team"], where="kind = 'team'")
    _index("uq_policies_label", ["label_key", "label_value"], where="kind = 'label'")


def _rebuild_on_sqlite() -> None:
    """Copy the table: SQLite can't change a CHECK. No other table refers to it."""
    checks = {"kind": _KINDS, **_OF_OLD_KINDS, **_OF_NEW_KINDS}
    op.create_table(
        "policies_0015",
        sa.Column("name", _ordered(200), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("catalog", _ordered(200)),
        sa.Column("namespace", sa.Text()),
        sa.Column("pattern", sa.Text()),
        sa.Column("table_id", _ordered(40)),
        *_new_columns(),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.String(27), nullable=False),
        sa.Column("updated_by", sa.Text(), nullable=False),
        sa.Column("document", sa.JSON().with_variant(JSONB(), "postgresql"), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_policies"),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name="fk_policies_table_id"),
        *(sa.CheckConstraint(condition, name=f"ck_policies_{name}") for name, condition in checks.items()),
    )
    op.execute(f"INSERT INTO policies_0015 ({_OLD_COLUMNS}) SELECT {_OLD_COLUMNS} FROM policies")  # noqa: S608 - constants
    op.drop_table("policies")
    op.rename_table("policies_0015", "policies")
    _index("uq_policies_fleet", ["kind"], where="kind = 'fleet'")
    _index("uq_policies_catalog", ["catalog"], where="kind = 'catalog'")
    _index("uq_policies_namespace", ["catalog", "namespace"], where="kind = 'namespace'")
    _index("ix_policies_scoped", ["name"], where="kind <> 'table'", unique=False)


def _new_columns() -> list[sa.Column[Any]]:
    return [
        sa.Column("team", sa.String(200)),
        sa.Column("label_key", sa.Text()),
        sa.Column("label_value", sa.Text()),
        sa.Column("message", sa.Text()),
    ]


def _index(name: str, columns: list[str], *, where: str, unique: bool = True) -> None:
    condition = sa.text(where)
    op.create_index(name, "policies", columns, unique=unique, postgresql_where=condition, sqlite_where=condition)


def _ordered(length: int) -> Any:
    return sa.String(length).with_variant(VARCHAR(length, collation="C"), "postgresql")
