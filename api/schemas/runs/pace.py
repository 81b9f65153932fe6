"""Wire models of the requests of running tasks, and of their answers. Not part of the public API."""

from typing import Final, Self

from pydantic import BaseModel, Field

from api.schemas.common import Answer
from engine.domain.fleet.budgets import PaceAnswer, TaskReport
from engine.domain.values.strict import Flag, Number, Whole

MOST: Final = 2**53
"""Largest number of a report: the ledger counts in doubles, in which the sum of larger ones is infinite."""


class PaceReport(BaseModel):
    """Bytes and requests of a task since it started. Unknown fields are ignored."""

    group: Whole = Field(ge=0, le=MOST)
    bytes_read: Whole = Field(ge=0, le=MOST)
    bytes_written: Whole = Field(ge=0, le=MOST)
    requests: Whole = Field(ge=0, le=MOST)
    throttled_seconds: Number = Field(ge=0, le=MOST, allow_inf_nan=False)
    finished: Flag = False

    def to_domain(self) -> TaskReport:
        """Return the domain's form."""
        return TaskReport(
            group=self.group,
            bytes_read=self.bytes_read,
            bytes_written=self.bytes_written,
            requests=self.requests,
            throttled_seconds=self.throttled_seconds,
            finished=self.finished,
        )


class PaceShare(Answer):
    """The task's share from now on (null: unlimited), or the order to stop and remove its own output."""

    bytes_per_second: float | None
    requests_per_second: float | None
    stop: bool
    token: str | None = None

    @classmethod
    def from_domain(cls, answer: PaceAnswer, token: str | None = None) -> Self:
        """Return the wire form; `token` replaces that of the task, None: it stays."""
        return cls(
            token=token,
            bytes_per_second=answer.budget.bytes_per_second,
            requests_per_second=answer.budget.requests_per_second,
            stop=answer.stop,
        )


class TaskStorage(Answer):
    """Properties of file access, with credentials: never logged and never stored."""

    storage: dict[str, str]
