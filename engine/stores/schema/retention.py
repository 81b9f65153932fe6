"""The tables that record how far other tables are pruned."""

from sqlalchemy import BigInteger, CheckConstraint, Column, SmallInteger, String, Table

from engine.stores.schema.watching import metadata
from engine.stores.sql.columns import ID_LENGTH, NAME_LENGTH, UtcTime, ordered_text

__all__ = ["audit_anchor", "metadata", "retention"]

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
