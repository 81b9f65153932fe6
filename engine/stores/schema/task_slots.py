"""The table of slots under the fleet's limit of rewrite tasks; the others are in `core` and `watching`."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Integer, Table

from engine.stores.schema.core import metadata
from engine.stores.sql.columns import ID_LENGTH, UtcTime, ordered_text

__all__ = ["task_slots"]

task_slots = Table(
    "task_slots",
    metadata,
    Column("run_id", ordered_text(ID_LENGTH), ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("attempt", Integer, nullable=False),
    Column("held", Integer, nullable=False),
    Column("waits_since", UtcTime),  # null: the run does not wait for a slot
    Column("seen_at", UtcTime, nullable=False),  # last write of the attempt; a run that waits repeats it
    CheckConstraint("attempt >= 1 AND held >= 0", name="counts"),
)
"""One row for each rewrite under a limit; rows of attempts that have ended are ignored, and deleted by the next ask."""
