"""Runs that end as `refused`.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from typing import Final

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

_OLD_TERMINAL: Final = "'cancelled', 'failed', 'skipped', 'succeeded'"
_TERMINAL: Final = "'cancelled', 'failed', 'refused', 'skipped', 'succeeded'"
_OLD_STATES: Final = "'cancelled', 'committing', 'failed', 'planning', 'queued', 'rewriting', 'skipped', 'succeeded'"
_STATES: Final = (
    "'cancelled', 'committing', 'failed', 'planning', 'queued', 'refused', 'rewriting', 'skipped', 'succeeded'"
)
_CHECKS: Final = {
    ("runs", "ck_runs_state"): (f"state IN ({_OLD_STATES})", f"state IN ({_STATES})"),
    ("runs", "ck_runs_finished_if_terminal"): (
        f"(finished_at IS NOT NULL) = (state IN ({_OLD_TERMINAL}))",
        f"(finished_at IS NOT NULL) = (state IN ({_TERMINAL}))",
    ),
    ("run_totals", "ck_run_totals_state"): (f"state IN ({_OLD_TERMINAL})", f"state IN ({_TERMINAL})"),
    ("run_hours", "ck_run_hours_state"): (f"state IN ({_OLD_TERMINAL})", f"state IN ({_TERMINAL})"),
}
"""Table and check → the conditions before and after."""

_IS_ENDED: Final = "SELECT 1 FROM runs WHERE id = OLD.run_id AND finished_at IS NOT NULL"
"""Events of ended runs may be pruned: whatever their state is."""


def upgrade() -> None:
    """Allow one more state; what processes of the version before write stays valid, and they show it as it is."""
    if op.get_bind().dialect.name == "postgresql":
        _replace_on_postgresql()
    else:
        _replace_on_sqlite()


def _replace_on_postgresql() -> None:
    for (table, name), (_, after) in _CHECKS.items():
        op.drop_constraint(name, table)
        op.create_check_constraint(name, table, after)
    op.execute(
        f"""
        CREATE OR REPLACE FUNCTION guard_run_events() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'DELETE' THEN
                IF EXISTS ({_IS_ENDED}) THEN
                    RETURN OLD;
                END IF;
                RAISE EXCEPTION 'events of a live run are not deleted' USING ERRCODE = '23000';
            END IF;
            RAISE EXCEPTION 'events are append-only' USING ERRCODE = '23000';
        END $$
        """
    )


def _replace_on_sqlite() -> None:
    """Change the checks in the stored schema, as https://www.sqlite.org/lang_altertable.html#otheralter describes.

    The rows stay as they are: copying `runs` would break the references of other tables to it.
    """
    op.execute("DROP TRIGGER run_events_no_delete")
    op.execute(
        f"""
        CREATE TRIGGER run_events_no_delete BEFORE DELETE ON run_events WHEN NOT EXISTS ({_IS_ENDED})
        BEGIN SELECT RAISE(ABORT, 'events of a live run are not deleted'); END
        """
    )
    connection = op.get_bind()
    number = connection.execute(sa.text("PRAGMA schema_version")).scalar_one()
    connection.execute(sa.text("PRAGMA writable_schema = ON"))
    for (table, name), (before, after) in _CHECKS.items():
        changed = connection.execute(
            sa.text(
                "UPDATE sqlite_schema SET sql = replace(sql, :before, :after) "
                "WHERE type = 'table' AND name = :name AND instr(sql, :before) > 0"
            ),
            {"name": table, "before": f"{name} CHECK ({before})", "after": f"{name} CHECK ({after})"},
        )
        if changed.rowcount != 1:
            raise RuntimeError(f"{table} has no check {name} as this migration expects it")
    connection.execute(sa.text(f"PRAGMA schema_version = {int(number) + 1}"))
    connection.execute(sa.text("PRAGMA writable_schema = OFF"))
