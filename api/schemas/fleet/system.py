"""State of Packhouse and its dependencies on the wire."""

from dataclasses import asdict
from typing import Literal, Self

from pydantic import Field

from api.schemas.common import Answer, Instant
from api.schemas.remedies import Remedy
from engine.domain.fleet import system as domain


class SystemComponent(Answer):
    """A part of Packhouse or a dependency, with its effect on runs."""

    kind: domain.ComponentKind
    name: str = Field(
        description="Name of a catalog; address of the table whose storage it is; empty for the others.",
        examples=["lake"],
    )
    state: domain.ComponentState = Field(
        description="`away`: it does not answer, or no such process is alive; `failing`: runs of several tables of the "
        "catalog failed in a row, and none starts automatically for now; `ok`: it answers, or no outage is known."
    )
    text: str = Field(
        description="State and effect in sentences.",
        examples=["Spark does not answer. 12 runs wait for it, and continue once it answers."],
    )
    detail: str = Field(description="Its version or last error; can be empty.", examples=["connection refused"])
    since: Instant | None = Field(description="Start of the outage or failures, as far as it is known.")
    next_probe_at: Instant | None = Field(description="When it is asked again; null unless that is planned.")
    waiting_runs: int = Field(description="Queued runs of tables that the caller sees that wait for it.", examples=[12])
    remedy: Remedy | None = Field(description="Ends the state; null where that takes no operation of the API.")

    @classmethod
    def from_domain(cls, found: domain.Component) -> Self:
        """Return the wire form."""
        return cls.model_validate(asdict(found))


class ServerBuild(Answer):
    """Version of the server that answers."""

    version: str = Field(description="Version of Packhouse.", examples=["0.2.0"])
    revision: str = Field(description="Commit that it was built from; empty if it is not known.", examples=["11bf3721"])
    schema_version: str = Field(description="Newest schema of the database that it supports.", examples=["0027"])
    compiled_pass: list[str] = Field(
        description="Kinds of machines on which Spark tasks merge columns by the compiled pass; empty: on none.",
        examples=[["x86_64"]],
    )


class System(Answer):
    """What works, and which runs wait because something does not."""

    status: Literal["ok", "degraded"] = Field(description="`degraded`: a component is in another state than `ok`.")
    measured_at: Instant
    components: list[SystemComponent] = Field(
        description="Database, Redis, Spark, coordinators and workers; at most 500 catalogs that exist for the caller; "
        "then storages of its teams' tables with an outage, the longest first."
    )
    omitted_count: int = Field(description="Outages that are left out; at most 100 are shown.", examples=[0])
    build: ServerBuild = Field(description="What the api that answers was built from.")

    @classmethod
    def from_domain(cls, found: domain.SystemStatus, build: domain.ServerBuild) -> Self:
        """Return the wire form."""
        return cls(
            status="ok" if found.is_ok else "degraded",
            measured_at=found.measured_at,
            components=[SystemComponent.from_domain(each) for each in found.components],
            omitted_count=found.omitted,
            build=ServerBuild(
                version=build.version,
                revision=build.revision,
                schema_version=build.schema,
                compiled_pass=list(build.compiled_pass),
            ),
        )
