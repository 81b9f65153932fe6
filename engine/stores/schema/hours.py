"""The tables of activity by hour, from which the history of the fleet is read; the others are in `core`."""

from sqlalchemy import BigInteger, CheckConstraint, Column, PrimaryKeyConstraint, Table, text

from engine.domain.runs.run import TERMINAL_STATES, RunState
from engine.stores.schema.core import metadata
from engine.stores.sql.columns import NAME_LENGTH, EnumText, UtcTime, one_of, ordered_text

__all__ = ["run_hours", "table_hours"]


def _counted(name: str) -> Column[int]:
    return Column(name, BigInteger, nullable=False, server_default=text("0"))


run_hours = Table(
    "run_hours",
    metadata,
    Column("hour", UtcTime, nullable=False),  # start of the hour
    Column("owner_team", ordered_text(NAME_LENGTH), nullable=False),  # "" for tables without a team
    Column("state", EnumText(RunState), nullable=False),
    _counted("runs"),
    _counted("rewritten_files"),
    _counted("rewritten_bytes"),
    _counted("wasted_bytes"),
    _counted("groups_committed"),
    _counted("groups_lost"),
    PrimaryKeyConstraint("hour", "owner_team", "state"),
    CheckConstraint(one_of("state", TERMINAL_STATES), name="state"),
)
"""Sums over the runs that ended in an hour, by the team that owned their tables then; added to as runs end."""

table_hours = Table(
    "table_hours",
    metadata,
    Column("hour", UtcTime, nullable=False),
    Column("owner_team", ordered_text(NAME_LENGTH), nullable=False),
    _counted("small_files_made"),
    _counted("small_files_removed"),
    Column("sampled_at", UtcTime),  # null: no sample in this hour, and no figures
    Column("measured_tables", BigInteger),
    Column("file_count", BigInteger),
    Column("small_file_count", BigInteger),
    Column("avoidable_file_count", BigInteger),
    Column("total_bytes", BigInteger),
    Column("history_bytes", BigInteger),
    PrimaryKeyConstraint("hour", "owner_team"),
    CheckConstraint("(sampled_at IS NULL) = (measured_tables IS NULL)", name="sample_whole"),
)
"""Small files that measurements of an hour found to be made and removed, and the last sample of the newest ones."""
