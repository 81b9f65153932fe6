"""Spark endpoints on the wire."""

from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field

from api.schemas.common import Answer, Instant, JsonObject, Listed, Request, Text
from engine.domain.fleet import endpoints as domain
from engine.domain.fleet.endpoints import EndpointRequest, EndpointState
from engine.domain.policies.documents.fields import EndpointLabels
from engine.domain.values.strict import OneLine, Whole

_EXAMPLE: JsonObject = {
    "url": "sc://spark-eu.example.com:15002/;use_ssl=true",
    "token": "env:SPARK_EU_TOKEN",
    "labels": {"site": "eu", "tier": "spot"},
    "parallel_groups": 40,
}
_ADDRESS: JsonObject = {
    "pattern": r"^sc://([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?(/|/;use_ssl=(true|false))?$"
}
_REFERENCE: JsonObject = {"pattern": r"^(env:[A-Za-z_][A-Za-z0-9_]*|file:/[A-Za-z0-9._-][A-Za-z0-9._/-]*)$"}
"""Forms in the schema only: the service's own refusals name the remedy."""
_URL = Field(
    default=None,
    description="Address of the Spark Connect server: `sc://host:port`, with `/;use_ssl=true` for TLS. Null for "
    "`default` alone, which has that of `PACKHOUSE_SPARK_URL`.",
    examples=["sc://spark-eu.example.com:15002/;use_ssl=true"],
)
_TOKEN = Field(
    default=None,
    description="Reference to the bearer token: `env:NAME` or `file:/absolute/path`, which each worker reads; "
    "null for none.",
    examples=["env:SPARK_EU_TOKEN"],
)
_LABELS: Any = Field(
    default_factory=dict,
    description="What policies choose it by (`spark.require`, `spark.prefer`); its name is the label `name`.",
    examples=[{"site": "eu", "tier": "spot"}],
)
_GROUPS = Field(
    default=None,
    description="File groups of all runs that are rewritten there at once; null for any number.",
    examples=[40],
)
_DRAINED = Field(default=False, description="True: no run begins there; runs at work go on.", examples=[False])


class SparkEndpointWrite(Request):
    """A Spark endpoint as an admin writes it."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    url: Annotated[OneLine, Field(min_length=1, max_length=500, json_schema_extra=_ADDRESS)] | None = _URL
    token: Annotated[OneLine, Field(min_length=1, max_length=500, json_schema_extra=_REFERENCE)] | None = _TOKEN
    labels: EndpointLabels = _LABELS
    parallel_groups: Annotated[Whole, Field(ge=1, le=100_000)] | None = _GROUPS
    drained: bool = _DRAINED

    def to_domain(self) -> EndpointRequest:
        """Return the fields of the endpoint."""
        return EndpointRequest(self.url, self.token, self.labels, self.parallel_groups, self.drained)


class SparkEndpoint(Answer):
    """A Spark Connect server that rewrites run on, with what its last probe found.

    Address, token and the detail of an outage are shown to admins only.
    """

    name: str = Field(description="Name of the endpoint.", examples=["eu-1"])
    url: Text | None = _URL
    token: Text | None = _TOKEN
    labels: dict[str, str] = _LABELS
    parallel_groups: int | None = _GROUPS
    drained: bool = _DRAINED
    state: EndpointState = Field(
        description="`ok`: it answers and can run the tasks; `away`: it does not answer; `unsuitable`: it "
        "can't run them; `unknown`: it was not probed since it was written, no executor "
        "reported on itself in time, or it is the only one.",
        examples=["ok"],
    )
    detail: Text = Field(description="What the last probe found.", examples=["executors with Python 3.11.9"])
    spark_version: Text | None = Field(
        default=None, description="Version of Spark when it last answered.", examples=["4.1.4"]
    )
    probed_at: Instant | None = Field(default=None, description="Time of the last probe.")
    runs: int = Field(description="Rewrites at work on it.", examples=[3])
    version: int = Field(description="The version for `If-Match`.")
    updated_at: Instant | None = None
    updated_by: Text = Field(description="Who wrote it.", examples=["key:admin"])

    @classmethod
    def from_domain(cls, given: domain.SparkEndpoint) -> Self:
        """Return the wire form."""
        return cls(
            name=given.name,
            url=given.url,
            token=given.token,
            labels=dict(given.labels),
            parallel_groups=given.parallel_groups,
            drained=given.drained,
            state=given.state,
            detail=given.detail,
            spark_version=given.spark_version,
            probed_at=given.probed_at,
            runs=given.runs,
            version=given.version,
            updated_at=given.updated_at,
            updated_by=given.updated_by,
        )


class SparkEndpointList(Listed[SparkEndpoint, domain.SparkEndpoint]):
    """A page of Spark endpoints, by name."""
