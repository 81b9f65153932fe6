"""Settings of the process itself: its services, listeners, limits and timeouts. The others are in `model`."""

from pathlib import Path
from typing import Final, Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from engine.domain.tables.watches import REQUESTS_PER_SECOND
from engine.domain.values.units import ByteSize
from engine.settings.values import DAY, Kept, Seconds, Secret, unset

PREFIX: Final = "PACKHOUSE_"


class ProcessSettings(BaseSettings):
    """Addresses and timeouts. Services without an address are embedded: SQLite, Redis, Spark on this machine."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore")

    data_dir: Path = Field(Path(".packhouse"), description="SQLite file, Redis append-only file, logs, keys.")
    database_url: Secret | None = Field(
        None,
        json_schema_extra=unset("SQLite in the data directory"),
        description="`postgresql+psycopg://user:password@host/name`.",
    )
    redis_url: Secret | None = Field(
        None,
        json_schema_extra=unset(
            "an embedded server: `redis-server` 7 or newer from `PATH`, with a warning an older one"
        ),
        description="`redis://` or `rediss://`; version 7 or newer is supported, 6.2 works.",
    )
    spark_url: Secret | None = Field(
        None,
        json_schema_extra=unset("an embedded server"),
        description="`sc://host:port`; Spark 4.0 to 4.3 with Connect; executors need this Python minor version, "
        "pyarrow and numpy, and [obstore or hdfs-native](object-stores.md) for tables that are not"
        " on a disk.",
    )
    paimon_jar: Path | None = Field(
        None,
        json_schema_extra=unset(
            "downloaded to the data directory at its first use, and checked by its SHA-256; needs the extra `embedded`"
        ),
        description="Path of `paimon-bundle-1.4.2.jar`, for compaction of Paimon tables.",
    )
    paimon_s3_jar: Path | None = Field(
        None,
        json_schema_extra=unset("as that of `PACKHOUSE_PAIMON_JAR`"),
        description="Path of `paimon-s3-1.4.2.jar`, for compaction of those in S3.",
    )
    paimon_heap_bytes: ByteSize = Field(
        2 * 2**30,
        ge=256 * 2**20,
        description="The most heap of Paimon's core in a Spark task, at least 256 MiB; each executor needs this "
        "for each of its cores, [beside its own memory](paimon.md#memory).",
    )
    compiled_pass: bool = Field(
        default=True,
        description="Let tasks merge columns by the [compiled pass](../explanation/rewriting.md#the-compiled-pass).",
    )
    spark_cores: int = Field(2, ge=1, description="Cores of the embedded Spark server.")
    secret_key: Secret | None = Field(
        None,
        json_schema_extra=unset("made in the data directory"),
        description="Key that signs tokens of pages, tasks and previews; the same on every replica; at least 32 "
        "characters in production.",
    )
    previous_secret_key: Secret | None = Field(
        None,
        description="The key before, while it is changed: its tokens stay valid. Set both on every process, and "
        "remove this one after a day.",
    )
    admin_key: Secret | None = Field(
        None,
        json_schema_extra=unset("made at the first start, in `admin-key` of the data directory"),
        description="The first admin key: `pkh_` and at least 43 random letters, digits, `-` or `_`; used only "
        "while no key exists.",
    )
    mode: Literal["embedded", "production"] | None = Field(
        None,
        json_schema_extra=unset("`production` with Postgres, otherwise `embedded`"),
        description="`production` refuses tables and catalogs on local disks and at loopback, link-local and "
        "metadata addresses.",
    )
    loopback_hosts: str = Field(
        "",
        description="Loopback addresses and names, separated by commas, that `production` allows for catalogs and"
        " storages, both as written and as resolved (`127.0.0.1`, or `localhost,127.0.0.1,::1`). For "
        "a trial of the production mode on one machine; link-local and metadata addresses can't be "
        "allowed.",
    )
    host: str = Field("127.0.0.1", description="Address the api listens on.")
    port: int = Field(8080, ge=0, le=65535, description="Its port; 0 picks a free one.")
    trusted_proxies: str = Field(
        "",
        json_schema_extra=unset("none"),
        description="Addresses or networks of proxies, separated by commas: their `X-Forwarded-For` and "
        "`X-Forwarded-Proto` are used, those of any other client are ignored.",
    )
    max_connections: int = Field(
        1000,
        ge=1,
        description="Open connections of one process; an address that is not a trusted proxy can hold at most "
        "half of them.",
    )
    tasks_host: str = Field(
        "127.0.0.1",
        description="Address of the listener for Spark tasks: one that the executors reach and callers of the API do "
        "not.",
    )
    tasks_port: int | None = Field(
        None,
        ge=0,
        le=65535,
        json_schema_extra=unset("no listener; a free port with `up` and without `PACKHOUSE_PACE_URL`"),
        description="Port at which an api serves `/internal` to Spark tasks, and nowhere else "
        "([listener for tasks](../how-to/spark-server.md#listener-for-tasks)); 0 picks a free one.",
    )
    pace_url: str | None = Field(
        None,
        description="URL at which Spark executors reach `/internal/pace` of the listener for tasks; unset: each task "
        "keeps its initial share and credentials; `up` sets it automatically.",
    )
    lease_seconds: Seconds = Field(
        30,
        gt=1,
        description="Time after which a run is taken from a silent worker; workers extend it every third of this time.",
    )
    watch: bool = Field(
        True,
        description="`off` on every coordinator: no run starts automatically "
        "([scheduling](../explanation/scheduling.md)).",
    )
    first_run_grace_seconds: Seconds = Field(
        900,
        ge=0,
        le=30 * 86400,
        description="How long the first automatic run of a newly registered table waits; `0`: not at all "
        "([scheduling](../explanation/scheduling.md#new-tables)).",
    )
    catalog_requests_per_second: float = Field(
        REQUESTS_PER_SECOND,
        gt=0,
        le=10000,
        description="Maximum looks per second in a catalog that is asked for each table (REST); with 10 000 "
        "tables, each is then looked at every 500 s.",
    )
    worker_slots: int = Field(
        2,
        ge=1,
        description="Runs that one worker advances at once.",
    )
    max_failures: int = Field(
        5,
        ge=1,
        description="Failed attempts in a row, without a commit in between, after which the run fails.",
    )
    commit_batch_bytes: ByteSize = Field(
        8 * 2**30,
        ge=1,
        description="Written bytes after which a commit is made.",
    )
    commit_batch_seconds: Seconds = Field(
        60,
        gt=0,
        description="Age of the oldest written group after which a commit is made.",
    )
    run_retention_seconds: Kept = Field(
        90 * DAY,
        description="How long ended runs are kept, with their events and file groups "
        "([retention](processes.md#retention)); at least `7d`; `0`: forever.",
    )
    audit_retention_seconds: Kept = Field(
        400 * DAY,
        description="How long audit entries and replaced versions of policies are kept; at least `7d`; `0`: forever.",
    )
    read_seconds: Seconds = Field(
        60,
        gt=0,
        le=600,
        description="Timeout of one read from a catalog or its storage; then 503 with `Retry-After`.",
    )
    work_seconds: Seconds = Field(
        900,
        gt=0,
        description="Timeout of one step of a run (planning, a commit, a proof).",
    )
    compute_seconds: Seconds = Field(
        300,
        gt=0,
        description="CPU seconds after which reading or planning one table is ended "
        "([bulkheads](../explanation/bulkheads.md)); planning two million files takes 19.",
    )
    threads_per_table: int = Field(
        4,
        ge=1,
        description="Calls to one table's catalog entry and storage at once, per process "
        "([bulkheads](../explanation/bulkheads.md)).",
    )
    threads_per_catalog: int = Field(
        16,
        ge=1,
        description="Calls to one catalog and all of its tables at once.",
    )
    threads: int = Field(
        128,
        ge=1,
        description="Calls to all catalogs at once.",
    )
    reads_per_minute: int = Field(
        60000,
        ge=1,
        description="GET requests of one caller, over all api processes; further ones get 429.",
    )
    writes_per_minute: int = Field(
        12000,
        ge=1,
        description="Other requests of one caller.",
    )
    failed_authentications_per_minute: int = Field(
        120,
        ge=1,
        description="Wrong keys and tokens from one client address.",
    )
