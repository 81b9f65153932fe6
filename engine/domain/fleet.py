"""What holds for all tables together: limits, and the kill switch."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Self

from engine.domain.budgets import Budget
from engine.domain.tables import Pause


@dataclass(frozen=True, slots=True)
class FleetLimits:
    """Limits of the whole fleet; None is unlimited.

    `parallel_runs`: runs held by workers at once. `bandwidth`: bytes read + written per second; `requests`: storage
    requests per second; both are dealt out in equal shares over `parallel_runs`, which they therefore need.
    """

    parallel_runs: int | None = None
    bandwidth: int | None = None
    requests: int | None = None

    def share(self) -> Budget:
        """Return what one run may use: the shares of all runs at once never pass the limits."""
        whole = Budget(
            None if self.bandwidth is None else float(self.bandwidth),
            None if self.requests is None else float(self.requests),
        )
        return whole.share(self.parallel_runs or 1)

    def document(self) -> dict[str, int]:
        """Return the limits that are set."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """Return the limits of a stored document."""
        return cls(**document)


@dataclass(frozen=True, slots=True)
class Fleet:
    """The fleet's row. `version` is that of the limits and their ETag; `updated_at`, `updated_by` likewise."""

    version: int
    updated_at: datetime
    updated_by: str
    limits: FleetLimits
    pause: Pause | None = None


@dataclass(frozen=True, slots=True)
class Pauses:
    """The kill switches that a table is under: the fleet's, its own, or both."""

    fleet: Pause | None = None
    table: Pause | None = None

    @property
    def present(self) -> Pause | None:
        """The one to obey: one that stops before one that drains, the fleet's before the table's."""
        found = [pause for pause in (self.fleet, self.table) if pause is not None]
        return min(found, key=lambda pause: not pause.stops, default=None)
