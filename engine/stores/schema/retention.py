"""The tables of the record that say what was pruned of others."""

from sqlalchemy import BigInteger, CheckConstraint, Column, SmallInteger, String, Table

from engine.stores.schema.watching import metadata
from engine.stores.sql.columns import ID_LENGTH, NAME_LENGTH, UtcTime, ordered_text

__all__ = ["audit_anchor", "metadata", "retention"]

retention = Table(
    "retention",
    metadata,
    Column("kind", String(ID_LENGTH), primary_key=True),
    Column("pruned", BigInteger, nullable=False),  # rows so far
    Column("pruned_until", UtcTime),  # the newest of these; null: none was pruned
    Column("cursor_at", UtcTime),  # how far the present pass got
    Column("cursor_id", ordered_text(NAME_LENGTH)),
    CheckConstraint("pruned >= 0 AND (cursor_at IS NULL) = (cursor_id IS NULL)", name="counts"),
)
"""How far runs and versions of policies are pruned: one row for each."""

audit_anchor = Table(
    "audit_anchor",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("sequence", BigInteger, nullable=False),
    Column("hash", String(64), nullable=False),
    Column("pruned_until", UtcTime),  # time of the newest pruned entry; null: none was pruned
    CheckConstraint("id = 1 AND sequence >= 0", name="single"),
)
"""The link up to which the audit log is pruned; the chain is verified from it on. It only moves forward."""
