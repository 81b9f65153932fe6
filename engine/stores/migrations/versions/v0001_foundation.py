"""Catalogs, tables, policies, runs with their groups and events, outbox, idempotency keys, API keys.

Written out in full, not taken from `stores.schema.core`: a migration must mean the same for ever.
"""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB, VARCHAR

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_RUN_STATES = "'cancelled', 'committing', 'failed', 'planning', 'queued', 'rewriting', 'skipped', 'succeeded'"
_LEASED = "'committing', 'planning', 'rewriting'"
_TERMINAL = "'cancelled', 'failed', 'skipped', 'succeeded'"
_GROUP_STATES = "'committed', 'dropped', 'planned', 'running', 'written'"

_PAUSE_WHOLE = (
    "(paused_at IS NULL) = (paused_by IS NULL) AND (paused_at IS NULL) = (pause_reason IS NULL) "
    "AND (paused_at IS NULL) = (pause_stops IS NULL)"
)
_POLICY_CHECKS = {
    "version": "version >= 1",
    "kind": "kind IN ('catalog', 'fleet', 'namespace', 'pattern', 'table')",
    "catalog_fits_kind": "(catalog IS NOT NULL) = (kind IN ('catalog', 'namespace'))",
    "namespace_fits_kind": "(namespace IS NOT NULL) = (kind = 'namespace')",
    "pattern_fits_kind": "(pattern IS NOT NULL) = (kind = 'pattern')",
    "table_fits_kind": "(table_id IS NOT NULL) = (kind = 'table')",
    "table_is_name": "table_id IS NULL OR table_id = name",
}
_RUN_CHECKS = {
    "state": f"state IN ({_RUN_STATES})",
    "priority": "priority IN ('high', 'low', 'normal')",
    "lease_whole": "(lease_holder IS NULL) = (lease_expires_at IS NULL)",
    "lease_fits_state": f"(lease_holder IS NOT NULL) = (state IN ({_LEASED}))",
    "finished_if_terminal": f"(finished_at IS NOT NULL) = (state IN ({_TERMINAL}))",
    "started_if_attempted": "(started_at IS NOT NULL) = (attempt > 0)",
    "only_queued_waits": "state = 'queued' OR (waiting_for IS NULL AND not_before IS NULL)",
    "cancel_whole": "(cancel_requested_at IS NULL) = (cancel_requested_by IS NULL)",
    "counts": "attempt >= 0 AND failures >= 0 AND last_event >= 1 AND snapshot_count >= 0",
}


def upgrade() -> None:
    """Make the first schema."""
    _create_registry()
    _create_policies()
    _create_runs()
    _create_run_details()
    _create_requests()
    _create_observations()
    _create_fleet()
    _create_audit()
    if op.get_bind().dialect.name == "postgresql":
        _guard_logs_on_postgresql()
    else:
        _guard_logs_on_sqlite()


def _ordered(length: int) -> Any:
    return sa.String(length).with_variant(VARCHAR(length, collation="C"), "postgresql")


def _time() -> Any:
    return sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite")


def _document() -> Any:
    return sa.JSON().with_variant(JSONB(), "postgresql")


def _serial() -> Any:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _partial_index(name: str, table: str, columns: list[str], *, where: str, unique: bool) -> None:
    condition = sa.text(where)
    op.create_index(name, table, columns, unique=unique, postgresql_where=condition, sqlite_where=condition)


def _checks(table: str, conditions: dict[str, str]) -> list[sa.CheckConstraint]:
    return [sa.CheckConstraint(condition, name=f"ck_{table}_{name}") for name, condition in conditions.items()]


def _pause() -> list[sa.Column[Any]]:
    return [
        sa.Column("paused_at", _time()),
        sa.Column("paused_by", sa.Text()),
        sa.Column("pause_reason", sa.Text()),
        sa.Column("pause_stops", sa.Boolean()),
    ]


def _create_registry() -> None:
    op.create_table(
        "catalogs",
        sa.Column("name", _ordered(200), nullable=False),
        sa.Column("format", sa.String(40), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", _time(), nullable=False),
        sa.Column("updated_at", _time(), nullable=False),
        sa.Column("properties", _document(), nullable=False),
        sa.Column("allowed_locations", _document(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_catalogs"),
        sa.CheckConstraint("version >= 1", name="ck_catalogs_version"),
    )
    op.create_table(
        "deleted_catalogs",
        sa.Column("name", _ordered(200), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_deleted_catalogs"),
    )
    _create_tables()


def _create_tables() -> None:
    op.create_table(
        "tables",
        sa.Column("id", _ordered(40), nullable=False),
        sa.Column("catalog", _ordered(200), nullable=False),
        sa.Column("namespace", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("uuid", sa.String(40), nullable=False),
        sa.Column("location", sa.Text(), nullable=False),
        sa.Column("owner_team", sa.String(200)),
        sa.Column("created_at", _time(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        *_pause(),
        sa.Column("labels", _document(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tables"),
        sa.ForeignKeyConstraint(["catalog"], ["catalogs.name"], name="fk_tables_catalog"),
        sa.UniqueConstraint("catalog", "namespace", "name", name="uq_tables_ref"),
        sa.CheckConstraint(_PAUSE_WHOLE, name="ck_tables_pause_whole"),
        sa.CheckConstraint("version >= 1", name="ck_tables_version"),
    )
    op.create_index("ix_tables_catalog_id", "tables", ["catalog", "id"])
    op.create_index("ix_tables_namespace_id", "tables", ["catalog", "namespace", "id"])
    op.create_index("ix_tables_owner_team_id", "tables", ["owner_team", "id"])
    _partial_index("ix_tables_paused", "tables", ["id"], where="paused_at IS NOT NULL", unique=False)
    op.create_table(
        "table_labels",
        sa.Column("table_id", _ordered(40), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "key", name="pk_table_labels"),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name="fk_table_labels_table_id", ondelete="CASCADE"),
    )
    op.create_index("ix_table_labels_key_value_table_id", "table_labels", ["key", "value", "table_id"])


def _create_policies() -> None:
    op.create_table(
        "policies",
        sa.Column("name", _ordered(200), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("catalog", _ordered(200)),
        sa.Column("namespace", sa.Text()),
        sa.Column("pattern", sa.Text()),
        sa.Column("table_id", _ordered(40)),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("updated_at", _time(), nullable=False),
        sa.Column("updated_by", sa.Text(), nullable=False),
        sa.Column("document", _document(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_policies"),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name="fk_policies_table_id"),
        *_checks("policies", _POLICY_CHECKS),
    )
    _partial_index("uq_policies_fleet", "policies", ["kind"], where="kind = 'fleet'", unique=True)
    _partial_index("uq_policies_catalog", "policies", ["catalog"], where="kind = 'catalog'", unique=True)
    of_namespace = ["catalog", "namespace"]
    _partial_index("uq_policies_namespace", "policies", of_namespace, where="kind = 'namespace'", unique=True)
    _partial_index("ix_policies_scoped", "policies", ["name"], where="kind <> 'table'", unique=False)
    op.create_table(
        "policy_versions",
        sa.Column("name", _ordered(200), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("written_at", _time(), nullable=False),
        sa.Column("written_by", sa.Text(), nullable=False),
        sa.Column("is_deletion", sa.Boolean(), nullable=False),
        sa.Column("scope", _document(), nullable=False),
        sa.Column("document", _document(), nullable=False),
        sa.PrimaryKeyConstraint("name", "version", name="pk_policy_versions"),
    )


def _create_runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", _ordered(40), nullable=False),
        sa.Column("table_id", _ordered(40), nullable=False),
        sa.Column("catalog", _ordered(200), nullable=False),
        sa.Column("owner_team", sa.String(200)),
        sa.Column("operation", sa.String(40), nullable=False),
        sa.Column("request_key", sa.String(64), nullable=False),
        sa.Column("priority", sa.String(40), nullable=False),
        sa.Column("state", sa.String(40), nullable=False),
        sa.Column("state_before", sa.String(40)),
        sa.Column("last_event", sa.Integer(), nullable=False),
        sa.Column("requested_by", sa.Text(), nullable=False),
        sa.Column("created_at", _time(), nullable=False),
        sa.Column("updated_at", _time(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("lease_holder", sa.Text()),
        sa.Column("lease_expires_at", _time()),
        sa.Column("cancel_requested_at", _time()),
        sa.Column("cancel_requested_by", sa.Text()),
        sa.Column("waiting_for", sa.String(40)),
        sa.Column("not_before", _time()),
        sa.Column("reason", sa.Text()),
        sa.Column("detail", sa.Text()),
        sa.Column("started_at", _time()),
        sa.Column("finished_at", _time()),
        sa.Column("snapshot_count", sa.Integer(), nullable=False),
        *(sa.Column(name, _document(), nullable=False) for name in ("plan", "intent", "result", "policy", "request")),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
        *_checks("runs", _RUN_CHECKS),
    )
    live = ["table_id", "operation", "request_key"]
    _partial_index("uq_runs_live", "runs", live, where="finished_at IS NULL", unique=True)
    _partial_index("uq_runs_leased", "runs", ["table_id"], where="lease_holder IS NOT NULL", unique=True)
    leased = "lease_holder IS NOT NULL"
    _partial_index("ix_runs_lease_expires_at", "runs", ["lease_expires_at"], where=leased, unique=False)
    op.create_index("ix_runs_state_id", "runs", ["state", "id"])
    for column in ("table_id", "catalog", "owner_team"):
        op.create_index(f"ix_runs_{column}_state_id", "runs", [column, "state", "id"])
    _partial_index("ix_runs_changes", "runs", ["table_id", "id"], where="snapshot_count > 0", unique=False)
    _partial_index("ix_runs_queued", "runs", ["priority", "id"], where="state = 'queued'", unique=False)
    op.create_table(
        "run_totals",
        sa.Column("operation", sa.String(40), nullable=False),
        sa.Column("state", sa.String(40), nullable=False),
        sa.Column("runs", sa.BigInteger(), nullable=False),
        sa.Column("rewritten_bytes", sa.BigInteger(), nullable=False),
        sa.Column("added_bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("operation", "state", name="pk_run_totals"),
        sa.CheckConstraint(f"state IN ({_TERMINAL})", name="ck_run_totals_state"),
    )


def _create_run_details() -> None:
    op.create_table(
        "file_groups",
        sa.Column("run_id", _ordered(40), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(40), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("spec_id", sa.Integer(), nullable=False),
        sa.Column("predicted_outputs", sa.Integer(), nullable=False),
        sa.Column("input_bytes", sa.BigInteger(), nullable=False),
        sa.Column("output_bytes", sa.BigInteger(), nullable=False),
        sa.Column("rows_deleted", sa.BigInteger(), nullable=False),
        sa.Column("snapshot_id", sa.BigInteger()),
        sa.Column("reason", sa.Text()),
        sa.Column("updated_at", _time(), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        *(sa.Column(name, _document(), nullable=False) for name in ("measured", "inputs", "outputs")),
        sa.PrimaryKeyConstraint("run_id", "ordinal", name="pk_file_groups"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_file_groups_run_id"),
        sa.CheckConstraint(f"state IN ({_GROUP_STATES})", name="ck_file_groups_state"),
        sa.CheckConstraint(
            "(snapshot_id IS NOT NULL) = (state = 'committed')", name="ck_file_groups_snapshot_if_committed"
        ),
        sa.CheckConstraint("(reason IS NOT NULL) = (state = 'dropped')", name="ck_file_groups_reason_if_dropped"),
        sa.CheckConstraint(
            "ordinal >= 0 AND input_bytes >= 0 AND output_bytes >= 0 AND rows_deleted >= 0",
            name="ck_file_groups_counts",
        ),
    )
    op.create_table(
        "rewritten_bytes",
        sa.Column("id", _serial(), autoincrement=True, nullable=False),
        sa.Column("table_id", _ordered(40), nullable=False),
        sa.Column("at", _time(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_rewritten_bytes"),
    )
    op.create_index("ix_rewritten_bytes_table_id_at", "rewritten_bytes", ["table_id", "at"])
    op.create_index("ix_rewritten_bytes_at", "rewritten_bytes", ["at", "table_id", "bytes"])
    op.create_table(
        "run_events",
        sa.Column("run_id", _ordered(40), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("at", _time(), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("from_state", sa.String(40)),
        sa.Column("to_state", sa.String(40)),
        sa.Column("reason", sa.Text()),
        sa.Column("details", _document(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "sequence", name="pk_run_events"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_run_events_run_id"),
    )


def _create_requests() -> None:
    op.create_table(
        "outbox",
        sa.Column("id", _serial(), autoincrement=True, nullable=False),
        sa.Column("run_id", _ordered(40), nullable=False),
        sa.Column("created_at", _time(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_outbox_run_id"),
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("caller", sa.Text(), nullable=False),
        sa.Column("route", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("body_hash", sa.Text(), nullable=False),
        sa.Column("created_at", _time(), nullable=False),
        sa.Column("status", sa.Integer()),
        sa.Column("headers", _document(), nullable=False),
        sa.Column("body", sa.LargeBinary()),
        sa.PrimaryKeyConstraint("caller", "route", "key", name="pk_idempotency_keys"),
        sa.CheckConstraint("(status IS NULL) = (body IS NULL)", name="ck_idempotency_keys_answer_whole"),
    )
    op.create_index("ix_idempotency_keys_created_at", "idempotency_keys", ["created_at"])
    op.create_table(
        "api_keys",
        sa.Column("id", _ordered(40), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("slot", sa.SmallInteger(), nullable=False),
        sa.Column("role", sa.String(40), nullable=False),
        sa.Column("secret_sha256", sa.String(64), nullable=False),
        sa.Column("created_at", _time(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("expires_at", _time()),
        sa.Column("revoked_at", _time()),
        sa.Column("last_used_at", _time()),
        sa.Column("teams", _document(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_api_keys"),
        sa.UniqueConstraint("secret_sha256", name="uq_api_keys_secret"),
        sa.CheckConstraint("slot IN (1, 2)", name="ck_api_keys_slot"),
        sa.CheckConstraint("role IN ('admin', 'operator', 'owner', 'viewer')", name="ck_api_keys_role"),
    )
    _partial_index("uq_api_keys_live", "api_keys", ["name", "slot"], where="revoked_at IS NULL", unique=True)


def _create_observations() -> None:
    op.create_table(
        "measurements",
        sa.Column("id", _serial(), autoincrement=True, nullable=False),
        sa.Column("table_id", _ordered(40), nullable=False),
        sa.Column("snapshot_id", sa.Text(), nullable=False),
        sa.Column("measured_at", _time(), nullable=False),
        sa.Column("is_latest", sa.Boolean(), nullable=False),
        sa.Column("file_count", sa.BigInteger(), nullable=False),
        sa.Column("small_file_count", sa.BigInteger(), nullable=False),
        sa.Column("avoidable_file_count", sa.BigInteger(), nullable=False),
        sa.Column("total_bytes", sa.BigInteger(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("benefit_per_cost", sa.Float(), nullable=False),
        sa.Column("small_file_change", sa.BigInteger(), nullable=False),
        sa.Column("document", _document(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_measurements"),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name="fk_measurements_table_id", ondelete="CASCADE"),
        sa.UniqueConstraint("table_id", "snapshot_id", name="uq_measurements_snapshot"),
    )
    op.create_index("ix_measurements_table_id_id", "measurements", ["table_id", "id"])
    by_time = ["measured_at", "table_id", "small_file_change"]
    op.create_index("ix_measurements_measured_at", "measurements", by_time)
    rank = ["benefit_per_cost", "table_id"]
    _partial_index("uq_measurements_latest", "measurements", ["table_id"], where="is_latest", unique=True)
    _partial_index("ix_measurements_rank", "measurements", rank, where="is_latest", unique=False)
    sums = ["table_id", "file_count", "small_file_count", "avoidable_file_count", "total_bytes"]
    _partial_index("ix_measurements_sums", "measurements", sums, where="is_latest", unique=False)
    op.create_table(
        "signals",
        sa.Column("id", _serial(), autoincrement=True, nullable=False),
        sa.Column("table_id", _ordered(40)),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("at", _time(), nullable=False),
        sa.Column("sent_by", sa.Text(), nullable=False),
        sa.Column("value", _document(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_signals"),
        sa.ForeignKeyConstraint(["table_id"], ["tables.id"], name="fk_signals_table_id", ondelete="CASCADE"),
        sa.CheckConstraint("kind IN ('backpressure', 'commit', 'filters', 'query_latency')", name="ck_signals_kind"),
    )
    op.create_index("ix_signals_table_id_kind_id", "signals", ["table_id", "kind", "id"])


def _create_fleet() -> None:
    fleet = op.create_table(
        "fleet",
        sa.Column("id", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("updated_at", _time(), nullable=False),
        sa.Column("updated_by", sa.Text(), nullable=False),
        *_pause(),
        sa.Column("limits", _document(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_fleet"),
        sa.CheckConstraint("id = 1", name="ck_fleet_single"),
        sa.CheckConstraint("version >= 1", name="ck_fleet_version"),
        sa.CheckConstraint(_PAUSE_WHOLE, name="ck_fleet_pause_whole"),
    )
    now = datetime.now(UTC)
    at = now.strftime("%Y-%m-%dT%H:%M:%S.%fZ") if op.get_bind().dialect.name == "sqlite" else now
    op.bulk_insert(fleet, [{"id": 1, "version": 1, "updated_at": at, "updated_by": "system", "limits": {}}])


def _create_audit() -> None:
    op.create_table(
        "audit",
        sa.Column("id", _serial(), autoincrement=True, nullable=False),
        sa.Column("at", _time(), nullable=False),
        sa.Column("caller", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("object", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Text()),
        sa.Column("before", _document(), nullable=False),
        sa.Column("after", _document(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_index("ix_audit_object_id", "audit", ["object", "id"])
    op.create_index("ix_audit_caller_id", "audit", ["caller", "id"])
    op.create_index("ix_audit_action_id", "audit", ["action", "id"])
    op.create_index("ix_audit_at", "audit", ["at"])
    op.create_table(
        "audit_seals",
        sa.Column("sequence", _serial(), autoincrement=False, nullable=False),
        sa.Column("audit_id", _serial(), nullable=False),
        sa.Column("sealed_at", _time(), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("sequence", name="pk_audit_seals"),
        sa.UniqueConstraint("audit_id", name="uq_audit_seals_audit_id"),
        sa.CheckConstraint("sequence >= 1", name="ck_audit_seals_sequence"),
    )


def _guard_logs_on_postgresql() -> None:
    op.execute(
        f"""
        CREATE FUNCTION guard_run_events() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF TG_OP = 'DELETE' THEN
                IF EXISTS (SELECT 1 FROM runs WHERE id = OLD.run_id AND state IN ({_TERMINAL})) THEN
                    RETURN OLD;
                END IF;
                RAISE EXCEPTION 'events of a live run are not deleted' USING ERRCODE = '23000';
            END IF;
            RAISE EXCEPTION 'events are append-only' USING ERRCODE = '23000';
        END $$
        """  # noqa: S608 - constants of this module
    )
    op.execute(
        "CREATE TRIGGER run_events_append_only BEFORE UPDATE OR DELETE ON run_events "
        "FOR EACH ROW EXECUTE FUNCTION guard_run_events()"
    )
    op.execute(
        """
        CREATE FUNCTION guard_audit() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = '23000';
        END $$
        """
    )
    for table in ("audit", "audit_seals"):
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION guard_audit()"
        )
        op.execute(
            f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION guard_audit()"
        )
    op.execute(
        "CREATE TRIGGER run_events_no_truncate BEFORE TRUNCATE ON run_events "
        "FOR EACH STATEMENT EXECUTE FUNCTION guard_run_events()"
    )


def _guard_logs_on_sqlite() -> None:
    op.execute(
        "CREATE TRIGGER run_events_no_update BEFORE UPDATE ON run_events "
        "BEGIN SELECT RAISE(ABORT, 'events are append-only'); END"
    )
    op.execute(
        f"""
        CREATE TRIGGER run_events_no_delete BEFORE DELETE ON run_events
        WHEN NOT EXISTS (SELECT 1 FROM runs WHERE id = OLD.run_id AND state IN ({_TERMINAL}))
        BEGIN SELECT RAISE(ABORT, 'events of a live run are not deleted'); END
        """  # noqa: S608 - constants of this module
    )
    for table in ("audit", "audit_seals"):
        for action in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{action.lower()} BEFORE {action} ON {table} "
                "BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END"
            )
