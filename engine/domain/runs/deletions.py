"""Announcement of a run that deletes files or history, and when it waits for an acknowledgement before it deletes.

An automatic deletion waits if it would delete much more than the ones before (`SurgeLimits`), any deletion if it would
delete more than the bound that was acknowledged with it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime, timedelta
from statistics import median
from typing import Any, Final, Self

from engine.domain.policies import DeletionRule
from engine.domain.runs.run import Run
from engine.domain.values.units import format_bytes

REQUESTED_GRACE: Final = timedelta(minutes=15)
"""Time before a run that a person submits deletes anything."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """The announcement of a run that deletes.

    Attributes:
        rule: what it may delete; None for a purge.
        starts_at: before this instant nothing is deleted; None: it did not wait.
        summary: what it would have deleted when it was announced, in words.
        is_held: whether the run itself waits until then, and can be undone; otherwise it does its other work at once.
        up_to: the most that it may delete without a further acknowledgement, by amount; empty: no bound was given.
    """

    rule: DeletionRule | None
    starts_at: datetime | None
    summary: str = ""
    is_held: bool = True
    up_to: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> Self | None:
        """Return the announcement in a run's request; None if it has none, as runs of earlier versions."""
        document = request.get("announced")
        if document is None:
            return None
        rule, starts_at = document["rule"], document["starts_at"]
        return cls(
            None if rule is None else DeletionRule.of_document(rule),
            None if starts_at is None else datetime.fromisoformat(starts_at),
            document["summary"],
            document["is_held"],
            document.get("up_to", {}),
        )

    def may_delete(self, now: datetime) -> bool:
        """Return whether its grace is over."""
        return self.starts_at is None or self.starts_at <= now

    def document(self) -> dict[str, Any]:
        """Return it as JSON-ready values."""
        return {
            "rule": None if self.rule is None else self.rule.document(),
            "starts_at": None if self.starts_at is None else self.starts_at.isoformat(),
            "summary": self.summary,
            "is_held": self.is_held,
            **({"up_to": dict(self.up_to)} if self.up_to else {}),
        }


@dataclass(frozen=True, slots=True)
class Widening:
    """The last change after which more of a table is deleted: when it was stored (None: never), its bound by amount."""

    at: datetime | None = None
    up_to: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Amounts:
    """Snapshots, files and their bytes that a deletion removes, or a table has; None: the amount is not known."""

    snapshots: int | None = None
    files: int | None = None
    bytes: int | None = None

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """Return the amounts in a document that `document` made."""
        return cls(*(document.get(each.name) for each in fields(cls)))

    @classmethod
    def of_result(cls, document: Mapping[str, Any]) -> Self:
        """Return what an ended run deleted, by its result."""
        return cls(*(document.get(name) for name in ("expired_snapshots", "deleted_files", "deleted_bytes")))

    def known(self) -> Iterator[tuple[str, int]]:
        """Yield the name and the value of each amount that is known."""
        yield from ((name, value) for name, value in asdict(self).items() if value is not None)

    def is_within(self, bounds: Mapping[str, float]) -> bool:
        """Return whether no amount is above its bound; an amount that has a bound and is not known is above it."""
        found = asdict(self)
        return all(found[name] is not None and found[name] <= bound for name, bound in bounds.items())

    def document(self) -> dict[str, int | None]:
        """Return it as JSON-ready values."""
        return asdict(self)

    @property
    def words(self) -> str:
        """The known amounts that are not 0, such as `66 snapshots, 189 files, 38.0 GiB`."""
        known = dict(self.known())
        some = {name: value for name, value in known.items() if value}
        named = (
            format_bytes(value) if name == "bytes" else f"{value} {name if value != 1 else name.removesuffix('s')}"
            for name, value in some.items()
        )
        return ", ".join(named) or ("nothing" if known else "an unknown amount")


@dataclass(frozen=True, slots=True)
class SurgeLimits:
    """Limits above which an automatic deletion is unusually large: a multiple of earlier ones, a share of the table.

    Attributes:
        median: of what each of the last deletions removed, up to `COMPARED` of them, by amount; None: none removed any.
        table: what the table has; None: not known.
        factor: `deletion.surge.factor`, the multiple of the median.
        share_percent: `deletion.surge.share_percent`, the percentage of the table; both limits have to be exceeded.
    """

    median: Amounts
    table: Amounts
    factor: int
    share_percent: int

    @classmethod
    def of(cls, past: Sequence[Amounts], table: Amounts, *, factor: int, share_percent: int) -> Self:
        """Return the limits by earlier deletions, newest first; those that removed nothing do not count."""
        return cls(Amounts(*(_median(past, each.name) for each in fields(Amounts))), table, factor, share_percent)

    def limit(self, name: str) -> float | None:
        """Return the largest amount that is not unusual; None: every amount is unusual.

        It is the share of the table alone while nothing was deleted before, and the multiple alone for a table of
        unknown size; None if neither is known.
        """
        usual, whole = getattr(self.median, name), getattr(self.table, name)
        limits = [] if usual is None else [usual * self.factor]
        limits += [] if whole is None else [whole * self.share_percent / 100]
        return max(limits, default=None)

    def exceeded_by(self, amounts: Amounts) -> tuple[str, ...]:
        """Return the names of the amounts that are unusually large."""
        limits = {name: self.limit(name) for name, value in amounts.known() if value}
        return tuple(name for name, limit in limits.items() if limit is None or getattr(amounts, name) > limit)


COMPARED: Final = 10
"""Most earlier deletions that one is compared with; while there are fewer, with as many as there are."""

GROWTH: Final = 1.1
"""Factor by which what is deleted may have grown since it was acknowledged."""


@dataclass(frozen=True, slots=True)
class AcknowledgementRequest:
    """The reason why a deletion waits, or waited, for an acknowledgement, and who gave it.

    Attributes:
        amounts: what it would delete.
        exceeded: names of the amounts that are above their limit.
        usual: the limits that it is above; None: it is above `up_to` instead.
        up_to: the acknowledged bound that it is above; empty: it is unusually large instead.
        given: caller (`by`), time (`at`) and amounts of an acknowledgement; empty: it still waits.
    """

    amounts: Amounts
    exceeded: tuple[str, ...]
    usual: SurgeLimits | None = None
    up_to: Mapping[str, int] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run) -> Self | None:
        """Return the request of a run; None if it never had to wait for an acknowledgement."""
        document = run.result.document.get("acknowledgement")
        if document is None:
            return None
        amounts, usual = Amounts.of(document["amounts"]), document["usual"]
        if usual is not None:
            usual = SurgeLimits(**{**usual, **{name: Amounts.of(usual[name]) for name in ("median", "table")}})
        return cls(amounts, tuple(document["exceeded"]), usual, document["up_to"], document["given"])

    def covers(self, amounts: Amounts) -> bool:
        """Return whether these amounts were acknowledged, up to `GROWTH`."""
        seen = dict(self.amounts.known())
        return bool(self.given) and all(
            name in seen and value <= seen[name] * GROWTH for name, value in amounts.known()
        )

    def document(self) -> dict[str, Any]:
        """Return it as JSON-ready values."""
        return asdict(self)

    @property
    def words(self) -> str:
        """The amounts it would delete, and the reason why it waits, as a clause."""
        if self.usual is None:
            bound = Amounts(**self.up_to).words
            return f"it would delete {self.amounts.words}, more than was acknowledged (up to {bound})"
        last = self.usual.median.words if any(self.usual.median.known()) else "none yet"
        factor, share = f"{self.usual.factor} times", f"{self.usual.share_percent} % of the table"
        which = ", ".join(self.exceeded)
        return f"it would delete {self.amounts.words}: {which} above {factor} the usual deletion ({last}) and {share}"


def _median(past: Iterable[Amounts], name: str) -> int | None:
    known = [value for each in past if (value := getattr(each, name))]
    return int(median(known[:COMPARED])) if known else None
