"""Signals on the wire, and what they say to writers."""

from dataclasses import asdict
from typing import Any, Final, Self

from pydantic import ConfigDict, Field

from api.schemas.common import Answer, Instant, Listed, Request
from api.schemas.tables.health import FullestBucket
from engine.domain.tables import signals as domain
from engine.domain.tables.addresses import MOST_CHARACTERS, TABLE_PATTERN
from engine.domain.tables.signals import SignalKind, SignalValue
from engine.services.tables.backpressure import Advised, BucketLoad

_TABLE_ID = "tbl_01jd2m6v8n4q0x7y3k5r9t1wbz"
_EXAMPLES: Final[list[Any]] = [
    {"table_id": _TABLE_ID, "signal": {"kind": "commit", "added_files": 12}},
    {"signal": {"kind": "query_latency", "p95_seconds": 2.5}},
    {"table_id": _TABLE_ID, "signal": {"kind": "backpressure", "slow_down": True, "reason": "readers wait"}},
    {
        "table_id": _TABLE_ID,
        "signal": {"kind": "filters", "queries": [{"columns": ["day", "customer"], "query_count": 120}]},
    },
]


class SignalSend(Request):
    """A signal from another system about a table or the fleet. Its kind decides the effect; see `signal`."""

    model_config = ConfigDict(json_schema_extra={"examples": _EXAMPLES})

    table_id: str | None = Field(
        default=None,
        min_length=1,
        max_length=MOST_CHARACTERS,
        pattern=TABLE_PATTERN,
        description="Id or address of the table; null: it is about the whole fleet.",
    )
    signal: SignalValue


class Signal(Answer):
    """A stored signal."""

    id: int
    table_id: str | None = Field(description="Null: it is about the whole fleet.")
    kind: SignalKind
    at: Instant = Field(description="Time at which it was received.")
    sent_by: str
    signal: SignalValue
    acted_on: bool = Field(description="False: shown, not acted on in this version.")

    @classmethod
    def from_domain(cls, signal: domain.Signal) -> Self:
        """Return the wire form."""
        return cls(
            id=signal.id,
            table_id=signal.table_id,
            kind=signal.kind,
            at=signal.at,
            sent_by=signal.sent_by,
            signal=signal.value,
            acted_on=signal.is_acted_on,
        )


class SignalList(Listed[Signal, domain.Signal]):
    """Signals of one kind, newest first; the newest thousand are kept."""


class SortedRunLoad(FullestBucket):
    """The bucket with the most sorted runs, and the number at which writers should slow down."""

    slow_down_at: int = Field(description="Sorted runs of one bucket at which writers should slow down.")
    measured_at: Instant


class TableBackpressure(Answer):
    """Advice for writers to slow down, with the reason. Packhouse can't enforce it."""

    table_id: str
    slow_down: bool
    reason: str
    since: Instant | None
    until: Instant | None = Field(description="Time at which the signal behind it expires; null without a signal.")
    signal: Signal | None = Field(description="The signal behind it; null when it is based on none.")
    sorted_runs: SortedRunLoad | None = Field(
        description="Sorted runs of the fullest bucket, as last measured. Null: the table's buckets have no levels, "
        "or were not measured yet."
    )

    @classmethod
    def from_domain(cls, table_id: str, advised: Advised) -> Self:
        """Return the wire form."""
        return cls(
            table_id=table_id,
            slow_down=advised.slow_down,
            reason=advised.reason,
            since=advised.since,
            until=advised.until,
            signal=None if advised.signal is None else Signal.from_domain(advised.signal),
            sorted_runs=None if advised.load is None else _load(advised.load),
        )


def _load(load: BucketLoad) -> SortedRunLoad:
    return SortedRunLoad(slow_down_at=load.slow_down_at, measured_at=load.measured_at, **asdict(load.fullest))
