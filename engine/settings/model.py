"""Settings of a process: the environment variables `PACKHOUSE_*`, with what each of them does.

The descriptions are those of `docs/reference/settings.md`, which is generated from them.
"""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, SecretStr
from pydantic_settings import NoDecode

from engine.domain.access.callers import Role
from engine.logging import LogFormat
from engine.settings.issuers import IssuerName, MoreIssuer
from engine.settings.process import ProcessSettings
from engine.settings.values import Seconds, Secret, from_json, reveal, to_upper, unset


class Settings(ProcessSettings):
    """The settings of `ProcessSettings`, and those of sign-in, of systems that are asked and told, and of logs."""

    oidc_issuer: str | None = Field(
        None,
        description="Identity provider whose tokens are accepted in addition to API keys; see [access](access.md).",
    )
    oidc_audience: str | None = Field(
        None,
        description="Audience that its tokens must have; required with an issuer.",
    )
    oidc_algorithms: str = Field(
        "RS256,ES256",
        description="Accepted signature algorithms; asymmetric ones only.",
    )
    oidc_role_claim: str = Field(
        "roles",
        description="Claim with the role, by name or as a dotted path.",
    )
    oidc_role_map: Annotated[dict[str, Role], NoDecode, BeforeValidator(from_json)] = Field(
        {},
        json_schema_extra=unset("the role names"),
        description="JSON: value of the claim → role.",
    )
    oidc_teams_claim: str | None = Field(
        None,
        json_schema_extra=unset("unset: no team"),
        description="Claim with the teams.",
    )
    oidc_teams_map: Annotated[dict[str, str], NoDecode, BeforeValidator(from_json)] = Field(
        {},
        json_schema_extra=unset("the values"),
        description="JSON: value of the claim → team, `*` for every team.",
    )
    oidc_more_issuers: Annotated[dict[IssuerName, MoreIssuer], NoDecode, BeforeValidator(from_json)] = Field(
        {},
        json_schema_extra=unset("none"),
        description="JSON: name → one more issuer; see [more issuers](../how-to/identity-provider.md#more-issuers).",
    )
    oidc_leeway_seconds: Seconds = Field(30, ge=0, le=300, description="Tolerated clock difference.")
    oidc_max_token_seconds: Seconds = Field(
        86400,
        ge=60,
        description="Tokens that are valid for longer, from `iat` to `exp`, are refused.",
    )
    oidc_console_client_id: str | None = Field(
        None,
        min_length=1,
        description="Public client as which people sign in to the [console](processes.md#console) with the "
        "provider; unset: with API keys only.",
    )
    oidc_console_scopes: str = Field("openid", description="Scopes that the console asks for, separated by spaces.")
    console_dir: Path | None = Field(
        None,
        json_schema_extra=unset("the package's, or `clients/console/dist` of a checkout"),
        description="Folder with the built files of the [console](processes.md#console).",
    )
    prometheus_url: Secret | None = Field(
        None,
        description="Server that is queried for query latency: `http(s)://host:port` "
        "([how](../how-to/slow-down-while-queries-are-slow.md#query-latency-from-prometheus)).",
    )
    prometheus_token: SecretStr | None = Field(
        None,
        description="Its bearer token, as `env:NAME` or `file:/path`; read again for each query.",
    )
    latency_query: str | None = Field(
        None,
        description="PromQL that returns the 95th percentile of query seconds; required with a server.",
    )
    latency_table_label: str | None = Field(
        None,
        json_schema_extra=unset("unset: the fleet"),
        description="Label whose value names the table of a series, as its id or as `catalog.namespace.name`.",
    )
    latency_seconds: Seconds = Field(30, description="Interval between queries; 5 to below 300.")
    event_queue: str | None = Field(
        None,
        json_schema_extra=unset("no queue"),
        description="Queue of SQS with [events of S3](../how-to/storage-events.md), as its URL or ARN; needs the extra "
        "`aws`, and credentials as the AWS SDK finds them.",
    )
    event_queue_region: str | None = Field(
        None,
        json_schema_extra=unset("that of the URL or ARN"),
        description="Region of that queue.",
    )
    event_queue_endpoint: str | None = Field(
        None,
        json_schema_extra=unset("that of AWS in the region"),
        description="Address of the service, `http(s)://host:port`, such as a VPC endpoint.",
    )
    audit_export: str | None = Field(
        None,
        json_schema_extra=unset("no export"),
        description="Folder to which the [audit log](../how-to/audit-log.md) is exported: an absolute path, or "
        "`s3://bucket/prefix`, `gs://…`, `az://…`, `abfss://…` with the credentials of the machine. The same in every "
        "coordinator; entries are not pruned before they are there.",
    )
    webhook_allow: str = Field(
        "",
        json_schema_extra=unset("none"),
        description="Receivers of [webhooks](../how-to/webhooks.md) in addition to public ones, separated by commas: "
        "host names, "
        "addresses and networks such as `hooks.internal,10.1.0.0/16`. They may use `http://`. Link-local and metadata "
        "addresses can't be allowed.",
    )
    metrics_port: int | None = Field(
        None,
        ge=0,
        le=65535,
        description="Port at which a coordinator or worker without the api serves `/metrics` and `/healthz`, on "
        "`PACKHOUSE_HOST`; 0 picks a free port.",
    )
    revision: str = Field(
        "",
        max_length=64,
        description="Commit that it was built from, as the image sets it; metrics, log and system page show it.",
    )
    drain_seconds: Seconds = Field(
        20, ge=0, le=3600, description="Time that groups in flight have to finish after `SIGTERM`; 0: none."
    )
    log_level: Annotated[Literal["DEBUG", "INFO", "WARNING", "ERROR"], BeforeValidator(to_upper)] = Field(
        "INFO", description="`DEBUG`, `INFO`, `WARNING`, `ERROR`."
    )
    log_format: LogFormat = Field(
        LogFormat.AUTO,
        description="`text`, `json`; `auto`: text if standard error is a terminal, otherwise one JSON object per line.",
    )

    @property
    def is_production(self) -> bool:
        """Whether the mode is production: as set, otherwise if the record can be shared with other processes."""
        if self.mode is not None:
            return self.mode == "production"
        url = reveal(self.database_url)
        return url is not None and not url.startswith("sqlite")
