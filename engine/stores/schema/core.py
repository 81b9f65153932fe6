"""The tables of the record, with the constraints that make illegal states impossible.

The coordinator's tables are in `schema_watching`. Change the schema together with a migration (a test compares both).
Triggers, which SQLAlchemy can't describe, are defined in the migrations only: events are append-only, and Postgres
refuses JSON of another shape. Wide JSON columns are last: SQLite reads a row from the start and skips the columns that
it does not need.
"""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from engine.domain.access.callers import Role
from engine.domain.policies.effective.scopes import PolicyScopeKind
from engine.domain.runs.run import LEASED_STATES, TERMINAL_STATES, GroupState, Operation, Priority, RunState, WaitingFor
from engine.domain.tables.signals import SignalKind
from engine.domain.tables.table import FormatName, OutsideFiles
from engine.stores.sql.dialects import (
    ID_LENGTH,
    NAME_LENGTH,
    EnumText,
    Namespace,
    UtcTime,
    document,
    one_of,
    ordered_text,
)

_PAUSE_WHOLE = (
    "(paused_at IS NULL) = (paused_by IS NULL) AND (paused_at IS NULL) = (pause_reason IS NULL) "
    "AND (paused_at IS NULL) = (pause_stops IS NULL)"
)
_FREEZE_WHOLE = (
    "(frozen_at IS NULL) = (frozen_by IS NULL) AND (frozen_at IS NULL) = (frozen_snapshot_id IS NULL) "
    "AND (frozen_at IS NULL) = (freeze_reason IS NULL) AND (frozen_parent_id IS NULL OR frozen_at IS NOT NULL)"
)
_LEASED = text("lease_holder IS NOT NULL")


def _index_where(name: str, *columns: str, where: str, unique: bool = False) -> tuple[Index]:
    condition = text(where)
    return (Index(name, *columns, unique=unique, postgresql_where=condition, sqlite_where=condition),)


def _unique_where(name: str, *columns: str, where: str) -> tuple[Index]:
    return _index_where(name, *columns, where=where, unique=True)


metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(constraint_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

catalogs = Table(
    "catalogs",
    metadata,
    Column("name", ordered_text(NAME_LENGTH), primary_key=True),
    Column("format", EnumText(FormatName), nullable=False),
    Column("version", Integer, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("properties", document(), nullable=False),
    Column("allowed_locations", document(), nullable=False),
    Column("grants", document(), nullable=False, server_default=text("'[]'")),
    Column("outside_files", EnumText(OutsideFiles), nullable=False, server_default="refuse"),
    Column("paused_at", UtcTime),
    Column("paused_by", Text),
    Column("pause_reason", Text),
    Column("pause_stops", Boolean),
    CheckConstraint("version >= 1", name="version"),
    CheckConstraint(_PAUSE_WHOLE, name="pause_whole"),
    CheckConstraint(one_of("outside_files", OutsideFiles), name="outside_files"),
    *_index_where("ix_catalogs_paused", "name", where="paused_at IS NOT NULL"),
)

deleted_catalogs = Table(
    "deleted_catalogs",
    metadata,
    Column("name", ordered_text(NAME_LENGTH), primary_key=True),
    Column("version", Integer, nullable=False),
)
"""Last version of each deleted catalog: a recreated one continues from it, so that an old ETag never matches again."""

tables = Table(
    "tables",
    metadata,
    Column("id", ordered_text(ID_LENGTH), primary_key=True),
    Column("catalog", ordered_text(NAME_LENGTH), ForeignKey("catalogs.name"), nullable=False),
    Column("namespace", Namespace, nullable=False),
    Column("name", Text, nullable=False),
    Column("uuid", String(ID_LENGTH), nullable=False),
    Column("location", Text, nullable=False),
    Column("owner_team", String(NAME_LENGTH)),
    Column("created_at", UtcTime, nullable=False),
    Column("version", Integer, nullable=False),  # of owner_team and labels
    Column("paused_at", UtcTime),
    Column("paused_by", Text),
    Column("pause_reason", Text),
    Column("pause_stops", Boolean),  # True: running work stops; False: it drains
    Column("labels", document(), nullable=False),
    Column("frozen_at", UtcTime),
    Column("frozen_by", Text),  # the run whose snapshot failed verification
    Column("frozen_snapshot_id", BigInteger),
    Column("frozen_parent_id", BigInteger),
    Column("freeze_reason", Text),
    UniqueConstraint("catalog", "namespace", "name", name="ref"),
    CheckConstraint(_PAUSE_WHOLE, name="pause_whole"),
    CheckConstraint("version >= 1", name="version"),
    Index("ix_tables_catalog_id", "catalog", "id"),
    Index("ix_tables_namespace_id", "catalog", "namespace", "id"),
    Index("ix_tables_owner_team_id", "owner_team", "id"),
    CheckConstraint(_FREEZE_WHOLE, name="freeze_whole"),
    *_index_where("ix_tables_paused", "id", where="paused_at IS NOT NULL"),
    *_index_where("ix_tables_frozen", "id", where="frozen_at IS NOT NULL"),
)

table_labels = Table(
    "table_labels",
    metadata,
    Column("table_id", ordered_text(ID_LENGTH), ForeignKey("tables.id", ondelete="CASCADE"), nullable=False),
    Column("key", Text, nullable=False),
    Column("value", Text, nullable=False),
    PrimaryKeyConstraint("table_id", "key"),
    Index("ix_table_labels_key_value_table_id", "key", "value", "table_id"),
)
"""Copy of `tables.labels` with one row per label, to find tables by label without reading all tables."""

policies = Table(
    "policies",
    metadata,
    Column("name", ordered_text(NAME_LENGTH), primary_key=True),  # of a table's own policy: the table's id
    Column("kind", EnumText(PolicyScopeKind), nullable=False),
    Column("catalog", ordered_text(NAME_LENGTH)),
    Column("namespace", Namespace),
    Column("pattern", Text),
    Column("table_id", ordered_text(ID_LENGTH), ForeignKey("tables.id")),
    Column("team", String(NAME_LENGTH)),
    Column("label_key", Text),
    Column("label_value", Text),
    Column("version", Integer, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("updated_by", Text, nullable=False),
    Column("message", Text),
    Column("document", document(), nullable=False),
    CheckConstraint("version >= 1", name="version"),
    CheckConstraint(one_of("kind", PolicyScopeKind), name="kind"),
    CheckConstraint("(catalog IS NOT NULL) = (kind IN ('catalog', 'namespace'))", name="catalog_fits_kind"),
    CheckConstraint("(namespace IS NOT NULL) = (kind = 'namespace')", name="namespace_fits_kind"),
    CheckConstraint("(pattern IS NOT NULL) = (kind = 'pattern')", name="pattern_fits_kind"),
    CheckConstraint("(table_id IS NOT NULL) = (kind = 'table')", name="table_fits_kind"),
    CheckConstraint("table_id IS NULL OR table_id = name", name="table_is_name"),
    CheckConstraint("(team IS NOT NULL) = (kind = 'team')", name="team_fits_kind"),
    CheckConstraint(
        "(label_key IS NOT NULL) = (kind = 'label') AND (label_value IS NOT NULL) = (kind = 'label')",
        name="label_fits_kind",
    ),
    *_unique_where("uq_policies_fleet", "kind", where="kind = 'fleet'"),
    *_unique_where("uq_policies_catalog", "catalog", where="kind = 'catalog'"),
    *_unique_where("uq_policies_namespace", "catalog", "namespace", where="kind = 'namespace'"),
    *_unique_where("uq_policies_team", "team", where="kind = 'team'"),
    *_unique_where("uq_policies_label", "label_key", "label_value", where="kind = 'label'"),
    *_index_where("ix_policies_scoped", "name", where="kind <> 'table'"),
)
"""One policy for the fleet and for each team, catalog, namespace, label and table; any number with patterns."""

policy_versions = Table(
    "policy_versions",
    metadata,
    Column("name", ordered_text(NAME_LENGTH), nullable=False),  # no foreign key: history outlives the policy
    Column("version", Integer, nullable=False),
    Column("written_at", UtcTime, nullable=False),
    Column("written_by", Text, nullable=False),
    Column("is_deletion", Boolean, nullable=False),
    Column("message", Text),
    Column("scope", document(), nullable=False),
    Column("document", document(), nullable=False),
    PrimaryKeyConstraint("name", "version"),
    Index("ix_policy_versions_written_at", "written_at", "name"),
)

runs = Table(
    "runs",
    metadata,
    Column("id", ordered_text(ID_LENGTH), primary_key=True),
    Column(
        "table_id", ordered_text(ID_LENGTH), nullable=False
    ),  # no foreign key: runs outlive the table's registration
    Column("catalog", ordered_text(NAME_LENGTH), nullable=False),
    Column("owner_team", String(NAME_LENGTH)),  # the table's current team: a change of owner updates the runs too
    Column("operation", EnumText(Operation), nullable=False),
    Column("request_key", String(64), nullable=False),  # equal for equivalent requests
    Column("priority", EnumText(Priority), nullable=False),
    Column("state", EnumText(RunState), nullable=False),
    # `state` before the last write: gives one UPDATE … RETURNING the previous state for the event.
    Column("state_before", EnumText(RunState)),
    Column("last_event", Integer, nullable=False),
    Column("requested_by", Text, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("failures", Integer, nullable=False),
    Column("lease_holder", Text),
    Column("lease_expires_at", UtcTime),
    Column("cancel_requested_at", UtcTime),
    Column("cancel_requested_by", Text),
    Column("waiting_for", EnumText(WaitingFor)),
    Column("not_before", UtcTime),
    Column("waits_on", Text),  # key of an outage
    Column("spark_endpoint", String(NAME_LENGTH)),  # that of the intent, to be counted
    Column("urgent_at", UtcTime),  # by the policy: updated when the policy changes
    Column("reason", Text),
    Column("detail", Text),
    Column("started_at", UtcTime),
    Column("finished_at", UtcTime),
    Column("snapshot_count", Integer, nullable=False),  # number of snapshots that the run committed
    Column("plan", document(), nullable=False),
    Column("intent", document(), nullable=False),
    Column("result", document(), nullable=False),
    Column("policy", document(), nullable=False),
    Column("request", document(), nullable=False),
    CheckConstraint(one_of("state", RunState), name="state"),
    CheckConstraint(one_of("priority", Priority), name="priority"),
    CheckConstraint("(lease_holder IS NULL) = (lease_expires_at IS NULL)", name="lease_whole"),
    CheckConstraint(f"(lease_holder IS NOT NULL) = ({one_of('state', LEASED_STATES)})", name="lease_fits_state"),
    CheckConstraint(f"(finished_at IS NOT NULL) = ({one_of('state', TERMINAL_STATES)})", name="finished_if_terminal"),
    CheckConstraint("(started_at IS NOT NULL) = (attempt > 0)", name="started_if_attempted"),
    CheckConstraint("state = 'queued' OR (waiting_for IS NULL AND not_before IS NULL)", name="only_queued_waits"),
    CheckConstraint("(cancel_requested_at IS NULL) = (cancel_requested_by IS NULL)", name="cancel_whole"),
    CheckConstraint("attempt >= 0 AND failures >= 0 AND last_event >= 1 AND snapshot_count >= 0", name="counts"),
    *_unique_where("uq_runs_live", "table_id", "operation", "request_key", where="finished_at IS NULL"),
    Index("uq_runs_leased", "table_id", unique=True, postgresql_where=_LEASED, sqlite_where=_LEASED),
    Index("ix_runs_lease_expires_at", "lease_expires_at", postgresql_where=_LEASED, sqlite_where=_LEASED),
    Index("ix_runs_state_id", "state", "id"),
    Index("ix_runs_table_id_state_id", "table_id", "state", "id"),
    Index("ix_runs_catalog_state_id", "catalog", "state", "id"),
    Index("ix_runs_owner_team_state_id", "owner_team", "state", "id"),
    *_index_where("ix_runs_changes", "table_id", "id", where="snapshot_count > 0"),
    *_index_where("ix_runs_finished", "finished_at", "id", where="finished_at IS NOT NULL"),
    *_index_where("ix_runs_queued", "priority", "id", where="state = 'queued'"),
    *_index_where("ix_runs_urgent", "urgent_at", "id", where="state = 'queued' AND urgent_at IS NOT NULL"),
)
"""`uq_runs_live`: one live run for each table, operation and request. `uq_runs_leased`: one maintenance lock for each
table."""

run_totals = Table(
    "run_totals",
    metadata,
    Column("operation", EnumText(Operation), nullable=False),
    Column("state", EnumText(RunState), nullable=False),
    Column("runs", BigInteger, nullable=False),
    Column("rewritten_bytes", BigInteger, nullable=False),
    Column("added_bytes", BigInteger, nullable=False),
    Column("groups_committed", BigInteger, nullable=False, server_default=text("0")),
    Column("groups_lost", BigInteger, nullable=False, server_default=text("0")),
    Column("wasted_bytes", BigInteger, nullable=False, server_default=text("0")),
    PrimaryKeyConstraint("operation", "state"),
    CheckConstraint(one_of("state", TERMINAL_STATES), name="state"),
)
"""Counts of ended runs, updated when a run ends, so that no query has to count history."""

file_groups = Table(
    "file_groups",
    metadata,
    Column("run_id", ordered_text(ID_LENGTH), ForeignKey("runs.id"), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("table_id", ordered_text(ID_LENGTH)),  # null, like the key of its partition: planned by an earlier version
    Column("partition_key", String(64)),
    Column("state", EnumText(GroupState), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("spec_id", Integer, nullable=False),
    Column("output_spec_id", Integer),
    Column("predicted_outputs", Integer, nullable=False),
    Column("input_bytes", BigInteger, nullable=False),
    Column("output_bytes", BigInteger, nullable=False),
    Column("rows_deleted", BigInteger, nullable=False),
    Column("snapshot_id", BigInteger),
    Column("reason", Text),
    Column("started_at", UtcTime),
    Column("updated_at", UtcTime, nullable=False),
    Column("partition", Text, nullable=False),
    Column("measured", document(), nullable=False),
    Column("inputs", document(), nullable=False),
    Column("outputs", document(), nullable=False),
    PrimaryKeyConstraint("run_id", "ordinal"),
    CheckConstraint(one_of("state", GroupState), name="state"),
    CheckConstraint("(snapshot_id IS NOT NULL) = (state = 'committed')", name="snapshot_if_committed"),
    CheckConstraint("(reason IS NOT NULL) = (state = 'dropped')", name="reason_if_dropped"),
    CheckConstraint("ordinal >= 0 AND input_bytes >= 0 AND output_bytes >= 0 AND rows_deleted >= 0", name="counts"),
    Index("ix_file_groups_partition", "table_id", "partition_key", "run_id"),
)

rewritten_bytes = Table(
    "rewritten_bytes",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("table_id", ordered_text(ID_LENGTH), nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Index("ix_rewritten_bytes_table_id_at", "table_id", "at"),
    Index("ix_rewritten_bytes_at", "at", "table_id", "bytes"),
)
"""Bytes read by rewrites, one row per written group: daily budgets must include groups that were dropped."""

BOUNDS_OF_ATTEMPTS: Final = "(to_state NOT IN ('rewriting', 'committing') OR kind IN ('held_back', 'let_go'))"

run_events = Table(
    "run_events",
    metadata,
    Column("run_id", ordered_text(ID_LENGTH), ForeignKey("runs.id"), nullable=False),
    Column("sequence", Integer, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("kind", String(ID_LENGTH), nullable=False),
    Column("actor", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("from_state", EnumText(RunState)),
    Column("to_state", EnumText(RunState)),
    Column("reason", Text),
    Column("details", document(), nullable=False),
    PrimaryKeyConstraint("run_id", "sequence"),
    *_index_where("ix_run_events_attempts", "run_id", "sequence", where=BOUNDS_OF_ATTEMPTS),
)
"""`ix_run_events_attempts` has the events that begin or end an attempt or a wait, without those of file groups."""

outbox = Table(
    "outbox",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("run_id", ordered_text(ID_LENGTH), ForeignKey("runs.id"), nullable=False),
    Column("created_at", UtcTime, nullable=False),
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("caller", Text, nullable=False),
    Column("route", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("body_hash", Text, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("status", Integer),
    Column("headers", document(), nullable=False),
    Column("body", LargeBinary),
    Column("refusals", Integer, nullable=False, server_default=text("0")),
    PrimaryKeyConstraint("caller", "route", "key"),
    CheckConstraint("(status IS NULL) = (body IS NULL)", name="answer_whole"),
    Index("ix_idempotency_keys_created_at", "created_at"),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", ordered_text(ID_LENGTH), primary_key=True),
    Column("name", Text, nullable=False),  # the subject shown in records; two keys share it during a rotation
    Column("slot", SmallInteger, nullable=False),
    Column("role", EnumText(Role), nullable=False),
    Column("secret_sha256", String(64), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("expires_at", UtcTime),
    Column("revoked_at", UtcTime),
    Column("last_used_at", UtcTime),
    Column("teams", document(), nullable=False),  # a list of names; null means every team
    CheckConstraint("slot IN (1, 2)", name="slot"),
    CheckConstraint(one_of("role", Role), name="role"),
    UniqueConstraint("secret_sha256", name="secret"),
    *_unique_where("uq_api_keys_live", "name", "slot", where="revoked_at IS NULL"),
)

fleet = Table(
    "fleet",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("version", Integer, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("updated_by", Text, nullable=False),
    Column("paused_at", UtcTime),
    Column("paused_by", Text),
    Column("pause_reason", Text),
    Column("pause_stops", Boolean),
    Column("limits", document(), nullable=False),
    CheckConstraint("id = 1", name="single"),
    CheckConstraint("version >= 1", name="version"),
    CheckConstraint(_PAUSE_WHOLE, name="pause_whole"),
)
"""Fleet-wide limits and pause: one row, inserted by the migration."""

schema_support = Table(
    "schema_support",
    metadata,
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("oldest_supported", String(ID_LENGTH), nullable=False),
    CheckConstraint("id = 1", name="single"),
)
"""One row: the oldest schema that a process must support to use this database (`migrations.compatibility`)."""

measurements = Table(
    "measurements",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("table_id", ordered_text(ID_LENGTH), ForeignKey("tables.id", ondelete="CASCADE"), nullable=False),
    Column("snapshot_id", Text, nullable=False),  # "" for a table without a snapshot
    Column("measured_at", UtcTime, nullable=False),
    Column("is_latest", Boolean, nullable=False),
    Column("file_count", BigInteger, nullable=False),
    Column("small_file_count", BigInteger, nullable=False),
    Column("avoidable_file_count", BigInteger, nullable=False),
    Column("total_bytes", BigInteger, nullable=False),
    Column("score", Float, nullable=False),
    Column("benefit_per_cost", Float, nullable=False),
    Column("small_file_change", BigInteger, nullable=False),  # since the previous measurement
    Column("document", document(), nullable=False),
    Column("history_bytes", BigInteger),
    UniqueConstraint("table_id", "snapshot_id", name="snapshot"),
    Index("ix_measurements_table_id_id", "table_id", "id"),
    Index("ix_measurements_measured_at", "measured_at", "table_id", "small_file_change"),
    *_unique_where("uq_measurements_latest", "table_id", where="is_latest"),
    *_index_where("ix_measurements_rank", "avoidable_file_count", "table_id", where="is_latest"),
    *_index_where(
        "ix_measurements_sums",  # with all columns that are summed over the fleet, so that no wide row is read
        "table_id",
        "file_count",
        "small_file_count",
        "avoidable_file_count",
        "total_bytes",
        "score",
        "history_bytes",
        where="is_latest",
    ),
)
"""Health of tables over time: one row per measured snapshot, with the newest marked."""

signals = Table(
    "signals",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column(
        "table_id", ordered_text(ID_LENGTH), ForeignKey("tables.id", ondelete="CASCADE")
    ),  # null: for the whole fleet
    Column("kind", EnumText(SignalKind), nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("sent_by", Text, nullable=False),
    Column("value", document(), nullable=False),
    CheckConstraint(one_of("kind", SignalKind), name="kind"),
    Index("ix_signals_table_id_kind_id", "table_id", "kind", "id"),
)

audit = Table(
    "audit",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("at", UtcTime, nullable=False),
    Column("caller", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("object", Text, nullable=False),
    Column("request_id", Text),
    Column("before", document(), nullable=False),
    Column("after", document(), nullable=False),
    Index("ix_audit_object_id", "object", "id"),
    Index("ix_audit_caller_id", "caller", "id"),
    Index("ix_audit_action_id", "action", "id"),
    Index("ix_audit_at", "at"),
)
"""Log of changes and their callers; append-only, written in the transaction of the change."""

audit_seals = Table(
    "audit_seals",
    metadata,
    Column("sequence", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False),
    Column("audit_id", BigInteger().with_variant(Integer, "sqlite"), nullable=False),
    Column("sealed_at", UtcTime, nullable=False),
    Column("hash", String(64), nullable=False),
    CheckConstraint("sequence >= 1", name="sequence"),
    UniqueConstraint("audit_id", name="audit_id"),
)
"""The hash chain over `audit`: `hash` = SHA-256 of the previous seal and the row. Append-only, one writer at a time."""
