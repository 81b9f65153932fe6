"""The tables of what ended: activity by hour, times of attempts, and how far other tables are pruned."""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    PrimaryKeyConstraint,
    SmallInteger,
    String,
    Table,
    Text,
    text,
)

from engine.domain.runs.run import TERMINAL_STATES, RunState
from engine.domain.runs.times import RunKind
from engine.stores.schema.watching import metadata
from engine.stores.sql.dialects import ID_LENGTH, NAME_LENGTH, EnumText, UtcTime, one_of, ordered_text

__all__ = ["audit_anchor", "audit_exports", "metadata", "retention", "run_hours", "run_times", "table_hours"]


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


run_times = Table(
    "run_times",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("table_id", ordered_text(ID_LENGTH), ForeignKey("tables.id", ondelete="CASCADE"), nullable=False),
    Column("machine", String(NAME_LENGTH), nullable=False),
    Column("kind", EnumText(RunKind), nullable=False),
    Column("lanes", Integer, nullable=False),
    Column("groups", Integer, nullable=False),
    Column("files", BigInteger, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("seconds", Float, nullable=False),
    CheckConstraint(one_of("kind", RunKind), name="kind"),
    CheckConstraint("lanes >= 1 AND groups >= 1 AND files >= 0 AND bytes >= 0 AND seconds > 0", name="amounts"),
    Index("ix_run_times_table_id_id", "table_id", "id"),
)
"""Measured times of rewrite attempts, one row each; only the newest of every table are kept."""


retention = Table(
    "retention",
    metadata,
    Column("kind", String(ID_LENGTH), primary_key=True),
    Column("pruned", BigInteger, nullable=False),  # rows so far
    Column("pruned_until", UtcTime),  # time of the newest of these; null: none was pruned
    Column("cursor_at", UtcTime),  # position of the current pass
    Column("cursor_id", ordered_text(NAME_LENGTH)),
    CheckConstraint("pruned >= 0 AND (cursor_at IS NULL) = (cursor_id IS NULL)", name="counts"),
)
"""Progress of pruning: one row for runs and one for versions of policies."""

audit_anchor = Table(
    "audit_anchor",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("sequence", BigInteger, nullable=False),
    Column("hash", String(64), nullable=False),
    Column("pruned_until", UtcTime),  # time of the newest pruned entry; null: none was pruned
    CheckConstraint("id = 1 AND sequence >= 0", name="single"),
)
"""The link up to which the audit log is pruned, where verification of the chain starts. It only moves forward."""

audit_exports = Table(
    "audit_exports",
    metadata,
    Column("folder", Text, primary_key=True),
    Column("sequence", BigInteger, nullable=False),
    Column("hash", String(64), nullable=False),
    Column("exported_at", UtcTime, nullable=False),
    CheckConstraint("sequence >= 1", name="sequence"),
)
"""The last exported link of the audit log, by folder."""
