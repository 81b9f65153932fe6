"""The request of a run, and the key by which identical requests are recognised."""

import hashlib
import json
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, Self

from pydantic import TypeAdapter

from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.runs.deletions import Announcement
from engine.domain.runs.operations import OPERATIONS
from engine.domain.runs.run import Operation, Run
from engine.domain.tables.predicates import PartitionPredicate, document

_FLAGS: Final = ("force_full", "every_file", "only_due")
_CONFIRMATION: Final = ("plan_hash", "confirm")
_PREDICATE: TypeAdapter[PartitionPredicate] = TypeAdapter(PartitionPredicate)


@dataclass(frozen=True, slots=True)
class Cause:
    """Cause of an automatic run: a rule, the number of partitions it made due, the first (None: the whole table)."""

    rule: str
    partition: str | None
    due_partitions: int


@dataclass(frozen=True, slots=True)
class RunRequest:
    """An operation and its scope.

    `plan_hash` and `confirm` are of a purge: the hash that its preview answered, and the table's address as typed.
    `partitions`: None for all. `force_full`: include well-sized files; with `every_file`, also rewrite files that would
    not be merged. `only_due`: of these partitions only those that are due at planning time: by settings of
    `rewrite.full` with `force_full`, otherwise by triggers. `include_cooling`: include partitions that cool down after
    lost races. `cause`, `due_since` (when the table became due),
    `request_id` (of the HTTP request that submitted it), `traceparent` (of the span that did, a valid header) and
    `announced` (of a run that deletes) describe the request and select nothing.
    """

    operation: Operation = Operation.REWRITE
    partitions: PartitionPredicate | None = None
    force_full: bool = False
    only_due: bool = False
    include_cooling: bool = False
    cause: Cause | None = None
    due_since: datetime | None = None
    every_file: bool = False
    request_id: str | None = None
    plan_hash: str | None = None
    confirm: str | None = None
    announced: Announcement | None = None
    traceparent: str | None = None

    def check(self) -> None:
        """Raise `InvalidInput` with the fields that have no meaning for the operation."""
        if not OPERATIONS[self.operation].needs_confirmation:
            self._check_confirmation()
        of_rewrites = {name: value for name, value in self._asked().items() if name not in _CONFIRMATION}
        given = {name: value for name, value in of_rewrites.items() if name != "force_full" or not self.every_file}
        if given and self.operation is not Operation.REWRITE:
            problems = tuple(
                FieldProblem(f"/{name}", f"{name} is for runs of the operation rewrite", value, "leave it out")
                for name, value in given.items()
            )
            raise InvalidInput(f"{self.operation.value} takes no {', '.join(given)}", problems=problems)

    def _check_confirmation(self) -> None:
        given = {name: value for name in _CONFIRMATION if (value := getattr(self, name)) is not None}
        problems = tuple(
            FieldProblem(f"/{name}", f"{name} is for runs of the operation purge", value, "leave it out")
            for name, value in given.items()
        )
        if problems:
            raise InvalidInput(f"{self.operation.value} takes no {', '.join(given)}", problems=problems)

    def document(self) -> dict[str, Any]:
        """Return all but the operation as JSON, without fields that are not set."""
        cause = {} if self.cause is None else {"cause": asdict(self.cause)}
        since = {} if self.due_since is None else {"due_since": self.due_since.isoformat()}
        cooling = {"include_cooling": True} if self.include_cooling else {}
        request_id = {} if self.request_id is None else {"request_id": self.request_id}
        trace = {} if self.traceparent is None else {"traceparent": self.traceparent}
        announced = {} if self.announced is None else {"announced": self.announced.document()}
        return self._asked() | cooling | cause | since | request_id | trace | announced

    def key(self, *, nonce: str | None = None) -> str:
        """Return the SHA-256 of the canonical request: equal for equal requests; unique with a nonce."""
        parts = {"operation": self.operation.value, **self._asked()} | ({} if nonce is None else {"nonce": nonce})
        return hashlib.sha256(json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    @classmethod
    def of(cls, run: Run) -> Self:
        """Return the request of a stored run."""
        given, cause, since = (run.request.get(name) for name in ("partitions", "cause", "due_since"))
        return cls(
            run.operation,
            None if given is None else _PREDICATE.validate_python(given),
            bool(run.request.get("force_full")),
            bool(run.request.get("only_due")),
            bool(run.request.get("include_cooling", run.request.get("force"))),  # the name in records of before
            None if cause is None else Cause(**cause),
            None if since is None else datetime.fromisoformat(since),
            bool(run.request.get("every_file")),
            run.request.get("request_id"),
            run.request.get("plan_hash"),
            run.request.get("confirm"),
            Announcement.of(run.request),
            run.request.get("traceparent"),
        )

    def _asked(self) -> dict[str, Any]:
        written: dict[str, Any] = {} if self.partitions is None else {"partitions": document(self.partitions)}
        written |= {name: value for name in _CONFIRMATION if (value := getattr(self, name)) is not None}
        return written | {name: True for name in _FLAGS if getattr(self, name)}
