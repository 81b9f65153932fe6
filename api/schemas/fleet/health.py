"""State of the process and its dependencies on the wire."""

from collections.abc import Sequence
from typing import Literal, Self

from pydantic import Field

from api.schemas.common import Answer
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

    @classmethod
    def from_domain(cls, dependencies: Sequence[DomainDependency]) -> Self:
        """Return the wire form."""
        shown = [
            Dependency(name=d.name, ok=d.ok, required=d.required, detail=d.detail, seconds=round(d.seconds, 4))
            for d in dependencies
        ]
        if all(d.ok for d in shown):
            return cls(status="ready", dependencies=shown)
        is_down = any(d.required and not d.ok for d in shown)
        return cls(status="unavailable" if is_down else "degraded", dependencies=shown)
