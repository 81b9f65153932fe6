"""The tables of the record, with the constraints that make illegal states impossible.

Changed together with a migration (a test compares both). Triggers that SQLAlchemy can't describe (events are
append-only) live in the migrations alone. Wide JSON columns stand last: SQLite reads a row from its front and skips
what it needn't.
"""

from collections.abc import Iterable

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from engine.domain.access import Role
from engine.domain.runs import LEASED_STATES, TERMINAL_STATES, GroupState, Operation, RunState, WaitingFor
from engine.domain.tables import TableFormatName
from engine.stores.columns import EnumText, Namespace, UtcTime, document, ordered_text

_ID = 40
_NAME = 200
_LIVE = text("finished_at IS NULL")
_LEASED = text("lease_holder IS NOT NULL")


def _one_of(column: str, members: Iterable[str]) -> str:
    return f"{column} IN ({', '.join(repr(str(member)) for member in sorted(members))})"


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
    Column("name", ordered_text(_NAME), primary_key=True),
    Column("format", EnumText(TableFormatName), nullable=False),
    Column("version", Integer, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("properties", document(), nullable=False),
    CheckConstraint("version >= 1", name="version"),
)

tables = Table(
    "tables",
    metadata,
    Column("id", ordered_text(_ID), primary_key=True),
    Column("catalog", ordered_text(_NAME), ForeignKey("catalogs.name"), nullable=False),
    Column("namespace", Namespace, nullable=False),
    Column("name", Text, nullable=False),
    Column("uuid", String(_ID), nullable=False),
    Column("location", Text, nullable=False),
    Column("owner_team", String(_NAME)),
    Column("created_at", UtcTime, nullable=False),
    Column("labels", document(), nullable=False),
    UniqueConstraint("catalog", "namespace", "name", name="ref"),
    Index("ix_tables_catalog_id", "catalog", "id"),
)

policies = Table(
    "policies",
    metadata,
    Column("table_id", ordered_text(_ID), ForeignKey("tables.id"), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("updated_by", Text, nullable=False),
    Column("document", document(), nullable=False),
    CheckConstraint("version >= 1", name="version"),
)

policy_versions = Table(
    "policy_versions",
    metadata,
    Column("table_id", ordered_text(_ID), nullable=False),  # no foreign key: history outlives the table
    Column("version", Integer, nullable=False),
    Column("written_at", UtcTime, nullable=False),
    Column("written_by", Text, nullable=False),
    Column("document", document(), nullable=False),
    PrimaryKeyConstraint("table_id", "version"),
)

runs = Table(
    "runs",
    metadata,
    Column("id", ordered_text(_ID), primary_key=True),
    Column("table_id", ordered_text(_ID), nullable=False),  # no foreign key: runs outlive the table's registration
    Column("operation", EnumText(Operation), nullable=False),
    Column("state", EnumText(RunState), nullable=False),
    # What `state` was before the last write: lets one UPDATE … RETURNING tell the event where the run came from.
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
    Column("reason", Text),
    Column("detail", Text),
    Column("started_at", UtcTime),
    Column("finished_at", UtcTime),
    Column("plan", document(), nullable=False),
    Column("intent", document(), nullable=False),
    Column("result", document(), nullable=False),
    Column("policy", document(), nullable=False),
    CheckConstraint(_one_of("state", RunState), name="state"),
    CheckConstraint("(lease_holder IS NULL) = (lease_expires_at IS NULL)", name="lease_whole"),
    CheckConstraint(f"(lease_holder IS NOT NULL) = ({_one_of('state', LEASED_STATES)})", name="lease_fits_state"),
    CheckConstraint(f"(finished_at IS NOT NULL) = ({_one_of('state', TERMINAL_STATES)})", name="finished_if_terminal"),
    CheckConstraint("(started_at IS NOT NULL) = (attempt > 0)", name="started_if_attempted"),
    CheckConstraint("state = 'queued' OR (waiting_for IS NULL AND not_before IS NULL)", name="only_queued_waits"),
    CheckConstraint("(cancel_requested_at IS NULL) = (cancel_requested_by IS NULL)", name="cancel_whole"),
    CheckConstraint("attempt >= 0 AND failures >= 0 AND last_event >= 1", name="counts"),
    Index("uq_runs_live", "table_id", "operation", unique=True, postgresql_where=_LIVE, sqlite_where=_LIVE),
    Index("uq_runs_leased", "table_id", unique=True, postgresql_where=_LEASED, sqlite_where=_LEASED),
    Index("ix_runs_lease_expires_at", "lease_expires_at", postgresql_where=_LEASED, sqlite_where=_LEASED),
    Index("ix_runs_state_id", "state", "id"),
    Index("ix_runs_table_id_state_id", "table_id", "state", "id"),
)
"""`uq_runs_live`: one live run for each table and operation. `uq_runs_leased`: one maintenance lock for each table."""

file_groups = Table(
    "file_groups",
    metadata,
    Column("run_id", ordered_text(_ID), ForeignKey("runs.id"), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("state", EnumText(GroupState), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("spec_id", Integer, nullable=False),
    Column("predicted_outputs", Integer, nullable=False),
    Column("input_bytes", BigInteger, nullable=False),
    Column("output_bytes", BigInteger, nullable=False),
    Column("rows_deleted", BigInteger, nullable=False),
    Column("snapshot_id", BigInteger),
    Column("reason", Text),
    Column("updated_at", UtcTime, nullable=False),
    Column("partition", Text, nullable=False),
    Column("measured", document(), nullable=False),
    Column("inputs", document(), nullable=False),
    Column("outputs", document(), nullable=False),
    PrimaryKeyConstraint("run_id", "ordinal"),
    CheckConstraint(_one_of("state", GroupState), name="state"),
    CheckConstraint("(snapshot_id IS NOT NULL) = (state = 'committed')", name="snapshot_if_committed"),
    CheckConstraint("(reason IS NOT NULL) = (state = 'dropped')", name="reason_if_dropped"),
    CheckConstraint("ordinal >= 0 AND input_bytes >= 0 AND output_bytes >= 0 AND rows_deleted >= 0", name="counts"),
)

rewritten_bytes = Table(
    "rewritten_bytes",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("table_id", ordered_text(_ID), nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Index("ix_rewritten_bytes_table_id_at", "table_id", "at"),
)
"""What rewrites have read, one row for each written group: daily budgets must not forget groups that were dropped."""

run_events = Table(
    "run_events",
    metadata,
    Column("run_id", ordered_text(_ID), ForeignKey("runs.id"), nullable=False),
    Column("sequence", Integer, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("kind", String(_ID), nullable=False),
    Column("actor", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("from_state", EnumText(RunState)),
    Column("to_state", EnumText(RunState)),
    Column("reason", Text),
    Column("details", document(), nullable=False),
    PrimaryKeyConstraint("run_id", "sequence"),
)

outbox = Table(
    "outbox",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("run_id", ordered_text(_ID), ForeignKey("runs.id"), nullable=False),
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
    PrimaryKeyConstraint("caller", "route", "key"),
    CheckConstraint("(status IS NULL) = (body IS NULL)", name="answer_whole"),
    Index("ix_idempotency_keys_created_at", "created_at"),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", ordered_text(_ID), primary_key=True),
    Column("name", Text, nullable=False),
    Column("role", EnumText(Role), nullable=False),
    Column("secret_sha256", String(64), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("last_used_at", UtcTime),
    UniqueConstraint("name", name="name"),  # it is the subject that records show
    UniqueConstraint("secret_sha256", name="secret"),
)
