"""Signals from other systems: commits, query latency, back-pressure, the filters of queries.

A commit schedules an immediate look at its table, query latency slows rewrites down where a policy requests it; advice
and backpressure use the others.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from engine.domain.ids import TableId
from engine.domain.values.strict import Flag, Instant, Number, OneLine, Whole

MAX_SECONDS: Final = 86_400.0
MOST_COUNTED: Final = 2**53 - 1
"""The largest count that every JSON reader represents exactly."""


class SignalKind(StrEnum):
    """Subject of a signal."""

    COMMIT = "commit"
    QUERY_LATENCY = "query_latency"
    BACKPRESSURE = "backpressure"
    FILTERS = "filters"
    OLDEST_READER = "oldest_reader"


Text = Annotated[OneLine, Field(min_length=1, max_length=255)]
Count = Annotated[Whole, Field(ge=0, le=MOST_COUNTED)]
Seconds = Annotated[Number, Field(ge=0, le=MAX_SECONDS, allow_inf_nan=False)]


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CommitSeen(_Value):
    """A writer committed to the table."""

    kind: Literal[SignalKind.COMMIT]
    snapshot_id: str | None = Field(default=None, pattern=r"^[0-9]{1,19}$", description="The snapshot that it made.")
    added_files: Count | None = Field(default=None, description="Data files that it added.")
    added_bytes: Count | None = Field(default=None, description="Their bytes.")


_A_PERCENTILE: Final[dict[str, Any]] = {
    "anyOf": [
        {"required": [name], "properties": {name: {"type": "number"}}}
        for name in ("p50_seconds", "p95_seconds", "p99_seconds")
    ]
}


class QueryLatency(_Value):
    """Latencies of recent queries. At least one of the percentiles is given."""

    model_config = ConfigDict(json_schema_extra={"allOf": [_A_PERCENTILE]})

    kind: Literal[SignalKind.QUERY_LATENCY]
    p50_seconds: Seconds | None = None
    p95_seconds: Seconds | None = None
    p99_seconds: Seconds | None = None
    query_count: Count | None = Field(default=None, description="Over how many queries.")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.p50_seconds is None and self.p95_seconds is None and self.p99_seconds is None:
            message = "give at least one of p50_seconds, p95_seconds, p99_seconds"
            raise ValueError(message)
        return self


class Backpressure(_Value):
    """A request to the writers of a table to slow down, or the end of one; it holds for `valid_seconds`."""

    kind: Literal[SignalKind.BACKPRESSURE]
    slow_down: Flag
    reason: Text
    valid_seconds: Whole = Field(default=300, ge=1, le=int(MAX_SECONDS), description="After that it is forgotten.")


class FilteredColumns(_Value):
    """Queries that filtered by exactly these columns."""

    columns: list[Text] = Field(max_length=32, description="Empty: queries without a filter.")
    query_count: Annotated[Whole, Field(ge=1, le=MOST_COUNTED)]


class Filters(_Value):
    """By which columns queries filtered lately."""

    kind: Literal[SignalKind.FILTERS]
    queries: list[FilteredColumns] = Field(min_length=1, max_length=100)


_ONE_SNAPSHOT: Final[dict[str, Any]] = {
    "oneOf": [
        {"required": [name], "properties": {name: {"type": "string"}}} for name in ("snapshot_id", "committed_at")
    ]
}


class OldestReader(_Value):
    """The oldest snapshot that a running reader of the table needs: no snapshot from it on expires for `valid_seconds`.

    Exactly one of `snapshot_id` and `committed_at` names it. The newest signal of each sender counts.
    """

    model_config = ConfigDict(json_schema_extra={"allOf": [_ONE_SNAPSHOT]})

    kind: Literal[SignalKind.OLDEST_READER]
    snapshot_id: str | None = Field(default=None, pattern=r"^[0-9]{1,19}$", description="Id of the snapshot.")
    committed_at: Instant | None = Field(default=None, description="Commit time of the snapshot, not in the future.")
    valid_seconds: Whole = Field(default=3600, ge=1, le=int(MAX_SECONDS), description="After that it is forgotten.")

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if (self.snapshot_id is None) == (self.committed_at is None):
            message = "give exactly one of snapshot_id, committed_at"
            raise ValueError(message)
        return self


SignalValue = Annotated[CommitSeen | QueryLatency | Backpressure | Filters | OldestReader, Field(discriminator="kind")]


@dataclass(frozen=True, slots=True)
class Signal:
    """A stored signal about one table, or about the whole fleet (None)."""

    id: int
    table_id: TableId | None
    at: datetime
    sent_by: str
    value: CommitSeen | QueryLatency | Backpressure | Filters | OldestReader

    @property
    def is_acted_on(self) -> bool:
        """Whether the signal makes runs start or slow down: commits schedule a look, slow queries cause back-off.

        `oldest_reader` keeps snapshots from expiry.
        """
        match self.kind:
            case SignalKind.COMMIT:
                return self.table_id is not None
            case SignalKind.QUERY_LATENCY | SignalKind.OLDEST_READER:
                return True
            case SignalKind.BACKPRESSURE | SignalKind.FILTERS:
                return False

    @property
    def kind(self) -> SignalKind:
        """The subject of the signal."""
        return self.value.kind
