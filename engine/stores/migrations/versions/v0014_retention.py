"""Progress of pruning the record, and the link from which on the chain of the audit log is kept.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import VARCHAR

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

_KINDS = ("policy_versions", "runs")
_FINISHED = "finished_at IS NOT NULL"


def upgrade() -> None:
    """Add the tables and indexes, and let the triggers of the audit log pass what lies before the anchor."""
    kept = op.create_table(
        "retention",
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("pruned", sa.BigInteger(), nullable=False),
        sa.Column("pruned_until", _time()),
        sa.Column("cursor_at", _time()),
        sa.Column("cursor_id", _ordered(200)),
        sa.PrimaryKeyConstraint("kind", name="pk_retention"),
        sa.CheckConstraint("pruned >= 0 AND (cursor_at IS NULL) = (cursor_id IS NULL)", name="ck_retention_counts"),
    )
    op.bulk_insert(kept, [{"kind": kind, "pruned": 0} for kind in _KINDS])
    anchor = op.create_table(
        "audit_anchor",
        sa.Column("id", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("pruned_until", _time()),
        sa.PrimaryKeyConstraint("id", name="pk_audit_anchor"),
        sa.CheckConstraint("id = 1 AND sequence >= 0", name="ck_audit_anchor_single"),
    )
    op.bulk_insert(anchor, [{"id": 1, "sequence": 0, "hash": "0" * 64}])
    where = sa.text(_FINISHED)
    op.create_index("ix_runs_finished", "runs", ["finished_at", "id"], postgresql_where=where, sqlite_where=where)
    op.create_index("ix_policy_versions_written_at", "policy_versions", ["written_at", "name"])
    if op.get_bind().dialect.name == "sqlite":
        _guard_on_sqlite()
    else:
        _guard_on_postgresql()


def _guard_on_postgresql() -> None:
    op.execute(
        """
        CREATE OR REPLACE FUNCTION guard_audit() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'DELETE' AND TG_TABLE_NAME = 'audit_seals' THEN
                IF OLD.sequence <= (SELECT sequence FROM audit_anchor) THEN
                    RETURN OLD;
                END IF;
            ELSIF TG_OP = 'DELETE' AND TG_TABLE_NAME = 'audit' THEN
                IF (SELECT sequence FROM audit_seals WHERE audit_id = OLD.id)
                    <= (SELECT sequence FROM audit_anchor) THEN
                    RETURN OLD;
                END IF;
            ELSIF TG_OP = 'UPDATE' AND TG_TABLE_NAME = 'audit_anchor' THEN
                IF NEW.sequence > OLD.sequence THEN
                    RETURN NEW;
                END IF;
            END IF;
            RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = '23000';
        END $$
        """
    )
    op.execute(
        "CREATE TRIGGER audit_anchor_append_only BEFORE UPDATE OR DELETE ON audit_anchor "
        "FOR EACH ROW EXECUTE FUNCTION guard_audit()"
    )
    op.execute(
        "CREATE TRIGGER audit_anchor_no_truncate BEFORE TRUNCATE ON audit_anchor "
        "FOR EACH STATEMENT EXECUTE FUNCTION guard_audit()"
    )


def _guard_on_sqlite() -> None:
    anchored = "(SELECT sequence FROM audit_anchor)"
    refuse = "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
    of_entry = "(SELECT sequence FROM audit_seals WHERE audit_id = OLD.id)"
    for table, sequence in (("audit", f"coalesce({of_entry}, {anchored} + 1)"), ("audit_seals", "OLD.sequence")):
        op.execute(f"DROP TRIGGER {table}_no_delete")
        op.execute(f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} WHEN {sequence} > {anchored} {refuse}")
    is_back = "NEW.sequence <= OLD.sequence"
    op.execute(f"CREATE TRIGGER audit_anchor_no_update BEFORE UPDATE ON audit_anchor WHEN {is_back} {refuse}")
    op.execute(f"CREATE TRIGGER audit_anchor_no_delete BEFORE DELETE ON audit_anchor {refuse}")


def _ordered(length: int) -> Any:
    return sa.String(length).with_variant(VARCHAR(length, collation="C"), "postgresql")


def _time() -> Any:
    return sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite")
