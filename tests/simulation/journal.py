"""What the simulation itself did and knows: limits and policies by time, and troubles, for the checks to judge by."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from engine.domain.fleet.limits import FleetLimits

Trouble = Literal["killed", "frozen", "redis", "spark", "deaf", "catalog", "database", "clock"]
ENDLESS: Final = 1e12


@dataclass(frozen=True, slots=True)
class Window:
    """One window of a policy in seconds of the loop."""

    kind: Literal["quiet_hours", "blackout"]
    start: float
    end: float
    on_start: str


@dataclass(frozen=True, slots=True)
class KnownPolicy:
    """A table's policy as the simulation wrote it, with its windows worked out by the simulation."""

    at: float
    document: Mapping[str, Any]
    windows: tuple[Window, ...] = ()

    @property
    def parallel_groups(self) -> int:
        return int(self.document["limits"]["parallel_groups"])

    @property
    def bandwidth(self) -> int | None:
        found = self.document["limits"].get("bandwidth")
        return None if found is None else int(found)

    @property
    def bytes_per_day(self) -> int | None:
        found = self.document["limits"].get("bytes_per_day")
        return None if found is None else int(found)

    @property
    def is_urgent_sometimes(self) -> bool:
        return "urgent_after" in self.document.get("schedule", {})


@dataclass
class Journal:
    """Everything with its time, in order. Tables are named as `str(TableRef)`."""

    limits: list[tuple[float, FleetLimits]] = field(default_factory=lambda: [(0.0, FleetLimits())])
    policies: dict[str, list[KnownPolicy]] = field(default_factory=dict)
    troubles: list[tuple[Trouble, str, float, float]] = field(default_factory=list)

    def trouble(self, kind: Trouble, who: str, start: float, end: float = ENDLESS) -> None:
        self.troubles.append((kind, who, start, end))

    def is_troubled(self, kinds: frozenset[Trouble], start: float, end: float, who: str | None = None) -> bool:
        """True when one of the troubles touched the time between two instants."""
        return any(
            kind in kinds and start <= until and since <= end and (who is None or who == name)
            for kind, name, since, until in self.troubles
        )

    def limits_between(self, start: float, end: float) -> Iterator[FleetLimits]:
        """Yield all limits that were in force at some time between two instants."""
        yield from _between(self.limits, start, end)

    def policies_between(self, table: str, start: float, end: float) -> Iterator[KnownPolicy]:
        """Yield all policies of a table that were in force at some time between two instants."""
        yield from _between([(each.at, each) for each in self.policies[table]], start, end)


def _between(entries: list[tuple[float, Any]], start: float, end: float) -> Iterator[Any]:
    for at, (since, value) in enumerate(entries):
        until = entries[at + 1][0] if at + 1 < len(entries) else ENDLESS
        if since <= end and start <= until:
            yield value
