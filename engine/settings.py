"""Settings, read once at the composition root from `PACKHOUSE_*` environment variables."""

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from engine.domain.access import Role


class Settings(BaseSettings):
    """Where things are and how patient to be. What is left out is embedded: SQLite, Redis, Spark on this machine."""

    model_config = SettingsConfigDict(env_prefix="PACKHOUSE_", extra="ignore")

    data_dir: Path = Field(default=Path(".packhouse"), description="SQLite file, Redis append-only file, logs, keys.")
    database_url: str | None = Field(default=None, description="`postgresql+psycopg://…`; default: SQLite in data_dir.")
    redis_url: str | None = Field(default=None, description="`redis://…`; default: an embedded server.")
    spark_url: str | None = Field(default=None, description="`sc://host:port`; default: an embedded server.")
    spark_cores: int = Field(default=2, ge=1, description="Cores of the embedded Spark server.")
    secret_key: SecretStr | None = Field(
        default=None, description="Signs page and pace tokens; default: made in data_dir."
    )
    mode: Literal["embedded", "production"] | None = Field(
        default=None,
        description="`production` refuses local disks and insiders' addresses; default: with Postgres, else not.",
    )
    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65535)
    pace_url: str | None = Field(
        default=None, description="How Spark executors reach `/internal/pace`; unset: static shares."
    )
    lease_seconds: float = Field(default=30, gt=1)
    watch: bool = Field(default=True, description="Off: no run starts by itself; the coordinator only does upkeep.")
    worker_slots: int = Field(default=2, ge=1, description="Runs that one worker advances at once.")
    max_failures: int = Field(default=5, ge=1, description="Attempts that may fail before the run does.")
    commit_batch_bytes: int = Field(default=8 * 2**30, ge=1, description="Written bytes that make a commit due.")
    commit_batch_seconds: float = Field(default=60, gt=0, description="Age of the oldest written group that does.")
    reads_per_minute: int = Field(default=60_000, ge=1, description="GET requests of one caller.")
    writes_per_minute: int = Field(default=12_000, ge=1, description="Other requests of one caller.")
    failed_authentications_per_minute: int = Field(default=120, ge=1, description="Of one client address.")
    oidc_issuer: str | None = Field(default=None, description="Identity provider whose tokens are taken.")
    oidc_audience: str | None = Field(default=None, description="What its tokens must be for.")
    oidc_algorithms: str = Field(default="RS256,ES256", description="Signatures that are taken, by commas.")
    oidc_role_claim: str = "roles"
    oidc_role_map: dict[str, Role] = Field(default={}, description="Values of the role claim to roles, as JSON.")
    oidc_teams_claim: str | None = Field(default=None, description="Unset: its callers see every team.")
    oidc_teams_map: dict[str, str] = Field(default={}, description="Values of the teams claim to teams, as JSON.")
    oidc_leeway_seconds: float = Field(default=30, ge=0, le=300, description="How far clocks may be apart.")
    prometheus_url: str | None = Field(default=None, description="Server that is asked for query latency.")
    prometheus_token: str | None = Field(default=None, description="Its bearer token: `env:NAME` or `file:/path`.")
    latency_query: str | None = Field(default=None, description="PromQL: the 95th percentile of query seconds.")
    latency_table_label: str | None = Field(default=None, description="Label that names the table; unset: the fleet.")
    latency_seconds: float = Field(default=30, description="How often it is asked.")
    metrics_port: int | None = Field(
        default=None, ge=0, le=65535, description="Where a coordinator or worker alone serves /metrics; unset: nowhere."
    )
    drain_seconds: float = Field(
        default=20, ge=0, le=3600, description="How long groups in flight may take to end after SIGTERM."
    )
    log_level: str = "INFO"

    @property
    def is_production(self) -> bool:
        """True when other processes, and so other machines, share the record, unless the mode is set."""
        if self.mode is not None:
            return self.mode == "production"
        return self.database_url is not None and not self.database_url.startswith("sqlite")
