"""The fleet's limits and the kill switches on the wire."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import ConfigDict, Field

from api.schemas.common import Answer, Instant, JsonObject, Request
from engine.domain.fleet.limits import CatalogLimits as DomainCatalogLimits
from engine.domain.fleet.limits import FleetLimits, FleetRow
from engine.domain.policies.documents.fields import MAX_BYTES
from engine.domain.tables.table import Pause as DomainPause
from engine.domain.values.strict import OneLine, Whole
from engine.domain.values.units import ByteRate


class PauseMode(StrEnum):
    """Effect on running work."""

    DRAIN = "drain"
    STOP = "stop"


class PauseRequest(Request):
    """A pause and why."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"reason": "backfill of October", "mode": "drain"}]})

    reason: OneLine = Field(min_length=1, max_length=500, description="Shown wherever something waits for it.")
    mode: PauseMode = Field(
        default=PauseMode.DRAIN,
        description="`drain`: groups in flight are finished and committed, no new ones begin; `stop`: groups in flight "
        "are interrupted, what is written is committed. The rest waits for the resume.",
    )


class Pause(Answer):
    """A pause that is on."""

    paused_at: Instant
    paused_by: str = Field(examples=["key:admin"])
    reason: str = Field(examples=["backfill of October"])
    mode: PauseMode

    @classmethod
    def from_domain(cls, pause: DomainPause) -> Self:
        """Return the wire form."""
        mode = PauseMode.STOP if pause.stops else PauseMode.DRAIN
        return cls(paused_at=pause.at, paused_by=pause.by, reason=pause.reason, mode=mode)


Bandwidth = Annotated[ByteRate, Field(ge=64 * 1024, le=MAX_BYTES)]
CatalogKey = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]

_NO_RATES: JsonObject = {
    "bandwidth": {"not": {"type": ["integer", "string"]}},
    "requests": {"not": {"type": "integer"}},
}
_HAS_RUNS: JsonObject = {"required": ["parallel_runs"], "properties": {"parallel_runs": {"type": "integer"}}}
_RUNS_OR_NO_RATES: JsonObject = {"anyOf": [_HAS_RUNS, {"properties": _NO_RATES}]}
_RATES_NEED_RUNS: JsonObject = {
    "anyOf": [
        _HAS_RUNS,
        {"properties": _NO_RATES | {"catalogs": {"additionalProperties": _RUNS_OR_NO_RATES}}},
    ]
}
ParallelRuns = Annotated[Whole, Field(ge=1, le=10_000)]
ParallelGroups = Annotated[Whole, Field(ge=1, le=10_000)]


class CatalogLimitsPut(Request):
    """Limits of all rewrites on one catalog's tables. Absent or null: unlimited."""

    parallel_runs: ParallelRuns | None = Field(default=None, description="Runs that workers advance at once.")
    bandwidth: Bandwidth | None = Field(default=None, description="Bytes per second, read + written.")
    requests: Whole | None = Field(default=None, ge=1, le=MAX_BYTES, description="Object-store requests per second.")


class LimitsReplace(Request):
    """Limits of the whole fleet. Absent or null: unlimited."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"parallel_runs": 4, "parallel_groups": 4, "bandwidth": "400MB"}],
            "allOf": [_RATES_NEED_RUNS],
        }
    )

    parallel_runs: ParallelRuns | None = Field(default=None, description="Runs that workers advance at once.")
    parallel_groups: ParallelGroups | None = Field(
        default=None,
        description="Tasks of all rewrites at once, over all tables and workers; a task rewrites one file group after "
        "the other. Also the most rewrites at once: each gets at least one task, and none gets a further one while "
        "another with fewer waits. Tasks at work go on when it is lowered.",
    )
    bandwidth: Bandwidth | None = Field(
        default=None,
        description="Bytes per second, read + written, of all rewrites together, re-dealt among those at work every "
        "second: what one can't use goes to the others. Needs `parallel_runs`: a run out of reach has an equal share.",
    )
    requests: Whole | None = Field(
        default=None, ge=1, le=MAX_BYTES, description="Object-store requests per second, dealt out in the same way."
    )
    catalogs: dict[CatalogKey, CatalogLimitsPut] = Field(
        default={},
        max_length=10_000,
        description="By catalog: how many runs it may have at once, and what they may move together. A run obeys the "
        "strictest of the limits of its table, its catalog and the fleet.",
        examples=[{"lake": {"parallel_runs": 2, "bandwidth": "100MB"}}],
    )

    def to_domain(self) -> FleetLimits:
        """Return the limits."""
        found = {
            name: DomainCatalogLimits(each.parallel_runs, each.bandwidth, each.requests)
            for name, each in self.catalogs.items()
        }
        catalogs = {name: limits for name, limits in found.items() if limits != DomainCatalogLimits()}
        return FleetLimits(self.parallel_runs, self.bandwidth, self.requests, catalogs, self.parallel_groups)


class CatalogLimits(Answer):
    """Limits of all rewrites on one catalog's tables; null is unlimited."""

    parallel_runs: int | None = Field(description="Runs at once.")
    bandwidth: int | None = Field(description="Bytes per second, read + written.")
    requests: int | None = Field(description="Object-store requests per second.")


class Limits(Answer):
    """Limits of the whole fleet; null is unlimited. A change of rates reaches running rewrites in about 3 seconds."""

    version: int = Field(description="Grows with each write; the ETag is this in quotes.")
    updated_at: Instant
    updated_by: str
    parallel_runs: int | None
    parallel_groups: int | None
    bandwidth: int | None = Field(description="Bytes per second, read + written.")
    requests: int | None = Field(description="Object-store requests per second.")
    catalogs: dict[str, CatalogLimits]

    @classmethod
    def from_domain(cls, fleet: FleetRow) -> Self:
        """Return the wire form."""
        return cls(
            version=fleet.version,
            updated_at=fleet.updated_at,
            updated_by=fleet.updated_by,
            parallel_runs=fleet.limits.parallel_runs,
            parallel_groups=fleet.limits.parallel_groups,
            bandwidth=fleet.limits.bandwidth,
            requests=fleet.limits.requests,
            catalogs={
                name: CatalogLimits(
                    parallel_runs=limits.parallel_runs, bandwidth=limits.bandwidth, requests=limits.requests
                )
                for name, limits in fleet.limits.catalogs.items()
            },
        )
