"""Limits on what rewrites may move per second, and the share of one task."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """Bytes read + written per second and requests per second; None is unlimited."""

    bytes_per_second: float | None = None
    requests_per_second: float | None = None

    def share(self, parts: int) -> "Budget":
        """Return one of `parts` equal shares; together they never exceed the budget."""
        return self.scaled(1 / parts)

    def scaled(self, factor: float) -> "Budget":
        """Return both rates times a factor."""
        return Budget(
            None if self.bytes_per_second is None else self.bytes_per_second * factor,
            None if self.requests_per_second is None else self.requests_per_second * factor,
        )

    def at_least(self, other: "Budget") -> "Budget":
        """Return the higher of two budgets, rate by rate; a rate that is unlimited in one is unlimited."""
        return Budget(
            _higher(self.bytes_per_second, other.bytes_per_second),
            _higher(self.requests_per_second, other.requests_per_second),
        )

    def at_most(self, other: "Budget") -> "Budget":
        """Return the stricter of two budgets, rate by rate."""
        return Budget(
            _stricter(self.bytes_per_second, other.bytes_per_second),
            _stricter(self.requests_per_second, other.requests_per_second),
        )


def _stricter(one: float | None, other: float | None) -> float | None:
    return min((rate for rate in (one, other) if rate is not None), default=None)


def _higher(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else max(one, other)


@dataclass(frozen=True, slots=True)
class TaskReport:
    """Bytes and requests of a task since it started (totals, so that a lost report loses nothing)."""

    group: int
    bytes_read: int
    bytes_written: int
    requests: int
    throttled_seconds: float
    finished: bool = False


@dataclass(frozen=True, slots=True)
class PaceAnswer:
    """A task's new share, or the order to stop and remove its own output."""

    budget: Budget
    stop: bool
