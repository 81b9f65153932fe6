"""The tables used while runs wait and work: of the coordinator, outages, processes, and slots for rewrite tasks.

The others are in `core` and `history`; rows here are deleted with the rows they refer to.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
)

from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.fleet.endpoints import EndpointState
from engine.domain.fleet.processes import ProcessKind
from engine.domain.tables.watches import Verdict
from engine.stores.schema.webhooks import metadata
from engine.stores.sql.dialects import ID_LENGTH, NAME_LENGTH, EnumText, UtcTime, document, one_of, ordered_text

__all__ = [
    "breakers",
    "hot_partitions",
    "leaders",
    "metadata",
    "outages",
    "processes",
    "received_events",
    "sharers",
    "spark_endpoints",
    "table_locations",
    "table_scans",
    "task_slots",
    "watches",
]

watches = Table(
    "watches",
    metadata,
    Column("table_id", ordered_text(ID_LENGTH), ForeignKey("tables.id", ondelete="CASCADE"), primary_key=True),
    Column("phase", Float, nullable=False),
    Column("next_at", UtcTime, nullable=False),
    Column("interval_seconds", Integer, nullable=False),
    Column("looked_at", UtcTime),
    Column("changed_at", UtcTime),
    Column("due_since", UtcTime),
    Column("reconsider_at", UtcTime),
    Column("verdict", EnumText(Verdict), nullable=False),
    Column("code", Text),
    Column("pointer", Text),
    Column("detail", Text),
    Column("rest_ended_at", UtcTime),  # runs without effect that ended before this do not count
    Column("grace_until", UtcTime),  # no run starts automatically before this
    Column("deletes_more_since", UtcTime),  # deletions that were announced before this are announced again
    Column("deletions_up_to", document()),  # the bounds that were acknowledged then, by amount; null: none
    CheckConstraint(one_of("verdict", Verdict), name="verdict"),
    CheckConstraint("phase >= 0 AND phase < 1 AND interval_seconds > 0", name="pace"),
    Index("ix_watches_next_at_table_id", "next_at", "table_id"),
)
"""Watch state of registered tables, one row each."""

hot_partitions = Table(
    "hot_partitions",
    metadata,
    Column("table_id", ordered_text(ID_LENGTH), ForeignKey("tables.id", ondelete="CASCADE"), nullable=False),
    Column("partition_key", String(64), nullable=False),  # a hash: partition values may be too long for a key
    Column("spec_id", Integer, nullable=False),
    Column("losses", Integer, nullable=False),
    Column("lost_at", UtcTime, nullable=False),
    Column("cools_until", UtcTime, nullable=False),
    Column("wasted_bytes", BigInteger, nullable=False),
    Column("reason", Text, nullable=False),
    Column("run_id", ordered_text(ID_LENGTH), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("partition", Text, nullable=False),
    PrimaryKeyConstraint("table_id", "partition_key"),
    CheckConstraint("losses >= 1 AND wasted_bytes >= 0", name="counts"),
    CheckConstraint("cools_until > lost_at", name="cools"),
    Index("ix_hot_partitions_table_id_cools_until", "table_id", "cools_until"),
    Index("ix_hot_partitions_cools_until", "cools_until"),
)
"""Partitions that lost their last race against other writers; a bounded number per table."""

breakers = Table(
    "breakers",
    metadata,
    Column("catalog", ordered_text(NAME_LENGTH), ForeignKey("catalogs.name", ondelete="CASCADE"), primary_key=True),
    Column("times_open", Integer, nullable=False),  # in a row; 0: closed
    Column("open_until", UtcTime),
    Column("probe_until", UtcTime),  # deadline for the result of the one admitted run
    Column("failed_at", UtcTime, nullable=False),
    Column("reason", Text, nullable=False),
    Column("failed_tables", document(), nullable=False),  # distinct tables that failed in a row, the latest first
    CheckConstraint("times_open >= 0 AND (times_open > 0) = (open_until IS NOT NULL)", name="open_until_an_instant"),
    CheckConstraint("probe_until IS NULL OR open_until IS NOT NULL", name="probe_of_open"),
)
"""Catalogs whose last runs failed because of the catalog, its storage or Spark; a success deletes the row."""

outages = Table(
    "outages",
    metadata,
    Column("key", ordered_text(NAME_LENGTH + ID_LENGTH), primary_key=True),
    Column("dependency", EnumText(DependencyKind), nullable=False),
    Column("catalog", ordered_text(NAME_LENGTH), nullable=False),
    Column("table_id", ordered_text(ID_LENGTH), nullable=False),
    Column("detail", Text, nullable=False),
    Column("away_since", UtcTime, nullable=False),
    Column("probes", Integer, nullable=False),  # number of probes without an answer
    Column("next_probe_at", UtcTime, nullable=False),
    CheckConstraint("probes >= 0", name="probes"),
    Index("ix_outages_next_probe_at", "next_probe_at"),
)
"""Dependencies that do not answer; the first successful probe deletes the row."""

spark_endpoints = Table(
    "spark_endpoints",
    metadata,
    Column("name", ordered_text(NAME_LENGTH), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("url", Text),  # null: that of the setting, for the endpoint `default`
    Column("token", Text),  # a reference
    Column("labels", document(), nullable=False),
    Column("parallel_groups", Integer),
    Column("drained", Boolean, nullable=False),
    Column("state", EnumText(EndpointState), nullable=False),
    Column("detail", Text, nullable=False),
    Column("spark_version", Text),
    Column("probed_at", UtcTime),
    Column("next_probe_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("updated_by", Text, nullable=False),
    CheckConstraint("version >= 1 AND (parallel_groups IS NULL OR parallel_groups >= 1)", name="counts"),
    CheckConstraint("(url IS NULL) = (name = 'default')", name="url_of_others"),
)
"""Spark Connect servers; the row `default` always exists."""

processes = Table(
    "processes",
    metadata,
    Column("kind", EnumText(ProcessKind), nullable=False),
    Column("holder", Text, nullable=False),
    Column("seen_at", UtcTime, nullable=False),
    PrimaryKeyConstraint("kind", "holder"),
)
"""Workers and coordinators by their last report that they are alive; one that ends deletes its row."""

leaders = Table(
    "leaders",
    metadata,
    Column("name", String(ID_LENGTH), primary_key=True),
    Column("holder", Text, nullable=False),
    Column("token", BigInteger, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    CheckConstraint("token >= 1", name="token"),
)
"""Leaders for jobs that only one process may do; the token increases with every change of leader."""

sharers = Table(
    "sharers",
    metadata,
    Column("name", Text, primary_key=True),
    Column("served_at", UtcTime, nullable=False),
)
"""Time of the last claim for each team, and for each catalog's tables without a team (`domain.runs.turns`)."""


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

table_scans = Table(
    "table_scans",
    metadata,
    Column("table_id", ordered_text(ID_LENGTH), ForeignKey("tables.id", ondelete="CASCADE"), nullable=False),
    Column("hour", UtcTime, nullable=False),
    Column("columns_key", String(64), nullable=False),  # a hash of the filtered columns; "": further combinations
    Column("columns", document(), nullable=False),
    Column("scans", BigInteger, nullable=False),
    Column("result_files", BigInteger, nullable=False),
    Column("delete_files", BigInteger, nullable=False),
    Column("planning_ms", BigInteger, nullable=False),
    PrimaryKeyConstraint("table_id", "hour", "columns_key"),
    Index("ix_table_scans_hour", "hour"),
)
"""Scans that readers reported, summed by hour and filtered columns; a bounded number of rows per table and hour."""

table_locations = Table(
    "table_locations",
    metadata,
    Column("key", String(64), nullable=False),  # a hash of the location: an index holds no text of any length
    Column("table_id", ordered_text(ID_LENGTH), ForeignKey("tables.id", ondelete="CASCADE"), nullable=False),
    Column("location", Text, nullable=False),
    PrimaryKeyConstraint("key", "table_id"),
    Index("ix_table_locations_table_id", "table_id"),
)
"""Folders of tables in their canonical form, by which an object of a store finds its table; a bounded number each."""

received_events = Table(
    "received_events",
    metadata,
    Column("table_id", ordered_text(ID_LENGTH), ForeignKey("tables.id", ondelete="CASCADE"), nullable=False),
    Column("key", String(64), nullable=False),  # a hash of sender, source and id of the event
    Column("at", UtcTime, nullable=False),
    PrimaryKeyConstraint("table_id", "key"),
    Index("ix_received_events_table_id_at", "table_id", "at"),
    Index("ix_received_events_at", "at"),
)
"""Events that were received lately, so that a repeated one counts once; a bounded number per table, for an hour."""
