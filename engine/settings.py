"""Settings, read once at the composition root from `PACKHOUSE_*` environment variables.

An invalid value, or a name that looks misspelt, is an error that names the variable: a silently ignored setting would
only be noticed when it is needed.
"""

import difflib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from engine.domain.access.callers import Role
from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.tables.watches import REQUESTS_PER_SECOND
from engine.domain.values.hints import Misread, nearest
from engine.domain.values.units import ByteSize, parse_duration
from engine.domain.values.validation_messages import message_of
from engine.logging import LogFormat

PREFIX: Final = "PACKHOUSE_"
_OF_CLIENTS: Final = frozenset({"URL", "API_KEY", "COMPLETE"})
"""Variables of the command line and the SDKs, which may share an environment with a server."""

_SIMILAR: Final = 0.8
_DAY: Final = 86_400

_SECRET: Final = frozenset(
    {
        "secret_key",
        "previous_secret_key",
        "admin_key",
        "database_url",
        "redis_url",
        "spark_url",
        "prometheus_token",
        "prometheus_url",
    }
)
"""Settings whose values never appear in errors."""


def _seconds(value: Any) -> Any:
    """Return seconds for a number, or for a duration such as `30s` or `5m`."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return float(parse_duration(value))
    return value


def _upper(value: Any) -> Any:
    return value.upper() if isinstance(value, str) else value


def _json(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise Misread("must be JSON", """such as '{"lake-admins": "admin"}'""") from None


Seconds = Annotated[float, BeforeValidator(_seconds)]
"""Seconds as a number, or a duration such as `30s` or `5m`."""


def _kept(value: float) -> float:
    if value and not _DAY * 7 <= value <= _DAY * 36_500:
        raise Misread("must be 0 (without a limit), or from 7 days to 100 years", "such as '90d'")
    return value


Kept = Annotated[Seconds, AfterValidator(_kept)]
"""Retention of rows in seconds; at least a week, because figures cover a week."""


class Settings(BaseSettings):
    """Addresses and timeouts. Services without an address are embedded: SQLite, Redis, Spark on this machine."""

    model_config = SettingsConfigDict(env_prefix="PACKHOUSE_", extra="ignore")

    data_dir: Path = Field(default=Path(".packhouse"), description="SQLite file, Redis append-only file, logs, keys.")
    database_url: str | None = Field(default=None, description="`postgresql+psycopg://…`; default: SQLite in data_dir.")
    redis_url: str | None = Field(default=None, description="`redis://…`; default: an embedded server.")
    spark_url: str | None = Field(default=None, description="`sc://host:port`; default: an embedded server.")
    paimon_jar: Path | None = Field(
        default=None, description="Paimon's jar, `paimon-bundle`; default: downloaded to data_dir at its first use."
    )
    paimon_s3_jar: Path | None = Field(
        default=None, description="Jar of Paimon's S3 file system, `paimon-s3`; default: downloaded as `paimon_jar`."
    )
    paimon_heap_bytes: ByteSize = Field(
        default=2 * 2**30, ge=256 * 2**20, description="Most heap of Paimon's core in a task; JVMs have what is needed."
    )
    spark_cores: int = Field(default=2, ge=1, description="Cores of the embedded Spark server.")
    secret_key: SecretStr | None = Field(
        default=None, description="Signs tokens of pages, tasks and previews; default: made in data_dir."
    )
    previous_secret_key: SecretStr | None = Field(
        default=None, description="Key before `secret_key`: its tokens stay valid while the key is changed."
    )
    admin_key: SecretStr | None = Field(
        default=None, description="First admin key, used while there is no key; default: made, in data_dir/admin-key."
    )
    mode: Literal["embedded", "production"] | None = Field(
        default=None,
        description="`production` refuses local disks and internal addresses; default with Postgres.",
    )
    loopback_hosts: str = Field(
        default="",
        description="Loopback hosts that production allows for catalogs and storages, such as `127.0.0.1`; for trials.",
    )
    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65535)
    trusted_proxies: str = Field(
        default="",
        description="Addresses or networks, separated by commas, whose `X-Forwarded-For` and `-Proto` are used.",
    )
    max_connections: int = Field(default=1000, ge=1, description="Open connections; one address can hold at most half.")
    pace_url: str | None = Field(
        default=None, description="How Spark executors reach `/internal/pace`; unset: static shares."
    )
    lease_seconds: Seconds = Field(default=30, gt=1)
    watch: bool = Field(default=True, description="Off: no run starts automatically; the coordinator only does upkeep.")
    first_run_grace_seconds: Seconds = Field(
        default=900,
        ge=0,
        le=30 * 86_400,
        description="How long the first automatic run of a newly registered table waits; 0: it starts at once.",
    )
    catalog_requests_per_second: float = Field(
        default=REQUESTS_PER_SECOND,
        gt=0,
        le=10_000,
        description="Maximum looks per second in a catalog that is asked for each table (REST).",
    )
    worker_slots: int = Field(default=2, ge=1, description="Runs that one worker advances at once.")
    max_failures: int = Field(default=5, ge=1, description="Attempts in a row that may fail before the run does.")
    commit_batch_bytes: ByteSize = Field(default=8 * 2**30, ge=1, description="Written bytes that make a commit due.")
    commit_batch_seconds: Seconds = Field(default=60, gt=0, description="Age of the oldest written group that does.")
    run_retention_seconds: Kept = Field(
        default=90 * _DAY, description="How long ended runs are kept, `90d`; at least `7d`; 0: without a limit."
    )
    audit_retention_seconds: Kept = Field(
        default=400 * _DAY,
        description="How long audit entries and versions of policies are kept; at least `7d`; 0: without a limit.",
    )
    read_seconds: Seconds = Field(
        default=60, gt=0, le=600, description="How long one read of a catalog or its storage is waited for."
    )
    work_seconds: Seconds = Field(
        default=900, gt=0, description="How long one step of a run on a catalog or its storage is waited for."
    )
    compute_seconds: Seconds = Field(
        default=300, gt=0, description="CPU seconds after which reading or planning a table is ended."
    )
    threads_per_table: int = Field(default=4, ge=1, description="Calls to one table's storage at once, per process.")
    threads_per_catalog: int = Field(default=16, ge=1, description="Calls to one catalog and its tables at once.")
    threads: int = Field(default=128, ge=1, description="Calls to all catalogs and their tables at once.")
    reads_per_minute: int = Field(default=60_000, ge=1, description="GET requests of one caller.")
    writes_per_minute: int = Field(default=12_000, ge=1, description="Other requests of one caller.")
    failed_authentications_per_minute: int = Field(default=120, ge=1, description="Of one client address.")
    oidc_issuer: str | None = Field(default=None, description="Identity provider whose tokens are accepted.")
    oidc_audience: str | None = Field(default=None, description="What its tokens must be for.")
    oidc_algorithms: str = Field(
        default="RS256,ES256", description="Accepted signature algorithms, separated by commas."
    )
    oidc_role_claim: str = "roles"
    oidc_role_map: Annotated[dict[str, Role], NoDecode, BeforeValidator(_json)] = Field(
        default={}, description="Values of the role claim to roles, as JSON."
    )
    oidc_teams_claim: str | None = Field(default=None, description="Unset: its callers have no team.")
    oidc_teams_map: Annotated[dict[str, str], NoDecode, BeforeValidator(_json)] = Field(
        default={}, description="Values of the teams claim to teams, as JSON."
    )
    oidc_leeway_seconds: Seconds = Field(default=30, ge=0, le=300, description="How far clocks may be apart.")
    oidc_max_token_seconds: Seconds = Field(default=86_400, ge=60, description="Longest life of a token.")
    oidc_console_client_id: str | None = Field(
        default=None, min_length=1, description="Public client at the provider as which people sign in to the console."
    )
    oidc_console_scopes: str = Field(default="openid", description="What it asks for, separated by spaces.")
    console_dir: Path | None = Field(
        default=None, description="Built files of the web console; default: those of the package or the checkout."
    )
    prometheus_url: str | None = Field(default=None, description="Prometheus server that is queried for query latency.")
    prometheus_token: str | None = Field(default=None, description="Its bearer token: `env:NAME` or `file:/path`.")
    latency_query: str | None = Field(default=None, description="PromQL: the 95th percentile of query seconds.")
    latency_table_label: str | None = Field(default=None, description="Label that names the table; unset: the fleet.")
    latency_seconds: Seconds = Field(default=30, description="How often it is asked.")
    metrics_port: int | None = Field(
        default=None,
        ge=0,
        le=65535,
        description="Where a coordinator or worker alone serves /metrics; unset: not served.",
    )
    drain_seconds: Seconds = Field(
        default=20, ge=0, le=3600, description="How long groups in flight may take to end after SIGTERM."
    )
    log_level: Annotated[Literal["DEBUG", "INFO", "WARNING", "ERROR"], BeforeValidator(_upper)] = "INFO"
    log_format: LogFormat = Field(
        default=LogFormat.AUTO, description="`text` for people, `json` for machines, `auto`: text on a terminal."
    )

    @property
    def is_production(self) -> bool:
        """Whether the mode is production: as set, otherwise if the record can be shared with other processes."""
        if self.mode is not None:
            return self.mode == "production"
        return self.database_url is not None and not self.database_url.startswith("sqlite")


def read_settings() -> Settings:
    """Return the settings of the process's environment.

    Raises:
        InvalidInput: values that can't be used, and names that look like a misspelt setting; one problem for each.
    """
    given = {name.upper().removeprefix(PREFIX): name for name in os.environ if name.upper().startswith(PREFIX)}
    known = {name.upper(): name for name in Settings.model_fields}
    problems = list(_misspelt(given, known))
    settings = None
    try:
        settings = Settings()
    except ValidationError as error:
        problems += _refused(error, given)
    if settings is None or problems:
        listed = "".join(f"\n  {_in_words(problem)}" for problem in problems)
        raise InvalidInput(f"settings that can't be used:{listed}", problems=tuple(problems))
    return settings


def _misspelt(given: Mapping[str, str], known: Mapping[str, str]) -> Iterator[FieldProblem]:
    """Yield names similar to a setting's. Others are accepted: Kubernetes sets `PACKHOUSE_SERVICE_HOST` and others."""
    for key, name in given.items():
        if key in known or key in _OF_CLIENTS:
            continue
        without_unit = (each for each in known if each.startswith(f"{key}_"))  # RUN_RETENTION for RUN_RETENTION_SECONDS
        near = next(without_unit, None) or nearest(key, known)
        if near is not None and (near.startswith(f"{key}_") or _is_near(key, near)):
            yield FieldProblem(name, "no such setting", None, f"did you mean {PREFIX}{near}?")


def _is_near(key: str, near: str) -> bool:
    return difflib.SequenceMatcher(None, key, near).ratio() >= _SIMILAR


def _refused(error: ValidationError, given: Mapping[str, str]) -> Iterator[FieldProblem]:
    for found in error.errors():
        field = str(found["loc"][0])
        name = given.get(field.upper(), PREFIX + field.upper())
        value = None if field in _SECRET else found["input"]
        yield FieldProblem(name, message_of(found), value, _remedy(found))


def _remedy(found: Mapping[str, Any]) -> str | None:
    if str(found["input"]).startswith("tcp://"):
        return "Kubernetes sets it for a service of this name: rename the service, or set enableServiceLinks to false"
    error = found.get("ctx", {}).get("error")
    return error.hint if isinstance(error, Misread) else None


def _in_words(problem: FieldProblem) -> str:
    value = "" if problem.value is None else f" ({problem.value!r:.100})"
    return f"{problem.pointer}: {problem.message}{value}" + (f"; {problem.hint}" if problem.hint else "")
