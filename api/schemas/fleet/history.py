"""Activity and backlog of all tables over time on the wire."""

from dataclasses import asdict
from typing import Self

from pydantic import Field

from api.schemas.common import Answer, Instant
from engine.domain.fleet import history as domain
from engine.domain.runs.run import RunState


class BacklogSample(Answer):
    """Sums over the newest measurements of the tables at one instant."""

    sampled_at: Instant = Field(description="Time of the sample.")
    measured_tables: int = Field(description="Tables that were measured until then.")
    file_count: int
    small_file_count: int
    avoidable_file_count: int
    total_bytes: int
    history_bytes: int = Field(description="Upper bound of the bytes of files that only old snapshots need.")


class FleetInterval(Answer):
    """Activity in one interval."""

    starts_at: Instant = Field(description="Start of the interval.")
    ends_at: Instant = Field(description="Its end; in the future for the present interval.")
    small_files_made: int = Field(description="Small files that measurements found more than the ones before.")
    small_files_removed: int = Field(description="Small files that measurements found fewer than the ones before.")
    ended_runs: dict[RunState, int] = Field(description="Runs that ended in the interval, by state.")
    rewritten_files: int = Field(description="Data files that these runs replaced.")
    rewritten_bytes: int = Field(description="Bytes of these files.")
    wasted_bytes: int = Field(description="Bytes that these runs wrote and did not commit.")
    groups_committed: int = Field(description="File groups that these runs committed.")
    groups_lost: int = Field(description="File groups that these runs lost to other writers.")
    conflict_rate: float | None = Field(description="Lost groups of all; null without any.")
    backlog: BacklogSample | None = Field(description="The last sample in the interval; null: it has none.")

    @classmethod
    def from_domain(cls, interval: domain.FleetInterval) -> Self:
        """Return the wire form."""
        sums = interval.sums
        groups = sums.groups_committed + sums.groups_lost
        return cls.model_validate(
            {
                **{
                    name: getattr(interval, name) for name in domain.FleetInterval.__slots__ if name in cls.model_fields
                },
                **{name: value for name, value in asdict(sums).items() if name in cls.model_fields},
                "conflict_rate": sums.groups_lost / groups if groups else None,
                "backlog": None if interval.backlog is None else asdict(interval.backlog),
            }
        )


class FleetHistory(Answer):
    """Intervals in order, without gaps."""

    step: domain.HistoryStep = Field(description="Length of the intervals; those of a day begin at midnight UTC.")
    known_since: Instant | None = Field(
        description="First hour in the record, before which no interval is listed; null: nothing was recorded yet."
    )
    items: list[FleetInterval] = Field(description="The intervals, oldest first.")

    @classmethod
    def from_domain(cls, history: domain.FleetHistory) -> Self:
        """Return the wire form."""
        items = [FleetInterval.from_domain(interval) for interval in history.intervals]
        return cls(step=history.step, known_since=history.known_since, items=items)
