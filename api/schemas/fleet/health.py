"""State of the process and its dependencies on the wire."""

from collections.abc import Sequence
from typing import Literal, Self

from pydantic import Field

from api.schemas.common import Answer
from engine.domain.fleet.processes import ProcessKind, Workforce
from engine.services.fleet.health import Dependency as DomainDependency


class Liveness(Answer):
    """The process answers."""

    status: Literal["ok"] = "ok"


class Dependency(Answer):
    """One dependency."""

    name: str = Field(examples=["database"])
    ok: bool
    required: bool = Field(description="True: nothing can be answered without it.")
    detail: str = Field(description="A version, or the error.")
    seconds: float = Field(description="Time until it answered, in seconds.")


class Readiness(Answer):
    """Readiness to serve requests. `degraded`: they can be served, but runs may have to wait."""

    status: Literal["ready", "degraded", "unavailable"]
    dependencies: list[Dependency]
    workers: int | None = Field(
        description="Live workers, those that reported in the last 30 s; null without an answer of the database.",
        examples=[2],
    )
    coordinators: int | None = Field(description="Live coordinators, as `workers`.", examples=[2])
    oldest_startable_seconds: float | None = Field(
        description="For how long the oldest queued run that may start has waited for a worker, in seconds; 0 without "
        "one, null without an answer of the database.",
        examples=[0.0],
    )
    longest_silence_seconds: float | None = Field(
        description="Longest time, in seconds, without an event of a run at work; 0 without one, null as `workers`.",
        examples=[0.0],
    )

    @classmethod
    def from_domain(cls, dependencies: Sequence[DomainDependency], workforce: Workforce | None) -> Self:
        """Return the wire form; the workforce is None if the database does not answer."""
        shown = [
            Dependency(name=d.name, ok=d.ok, required=d.required, detail=d.detail, seconds=round(d.seconds, 4))
            for d in dependencies
        ]
        is_down = any(d.required and not d.ok for d in shown)
        is_whole = all(d.ok for d in shown) and workforce is not None and workforce.is_complete
        return cls(
            status="unavailable" if is_down else "ready" if is_whole else "degraded",
            dependencies=shown,
            workers=None if workforce is None else workforce.live[ProcessKind.WORKER],
            coordinators=None if workforce is None else workforce.live[ProcessKind.COORDINATOR],
            oldest_startable_seconds=None if workforce is None else round(workforce.startable_seconds, 3),
            longest_silence_seconds=None if workforce is None else round(workforce.silent_seconds, 3),
        )
