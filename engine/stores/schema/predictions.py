"""The table used by predictions; the others are in `schema` and `schema_watching`."""

from sqlalchemy import BigInteger, CheckConstraint, Column, Float, ForeignKey, Index, Integer, String, Table

from engine.domain.runs.times import RunKind
from engine.stores.schema.core import metadata
from engine.stores.sql.columns import ID_LENGTH, NAME_LENGTH, EnumText, one_of, ordered_text

__all__ = ["run_times"]

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
