"""What a run was asked for, and when two requests ask for the same."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any, Self

from pydantic import TypeAdapter

from engine.domain.predicates import PartitionPredicate, document
from engine.domain.runs import Operation, Run

_PREDICATE: TypeAdapter[PartitionPredicate] = TypeAdapter(PartitionPredicate)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """An operation and what it is limited to: partitions (None: all), and whether their well-sized files come along."""

    operation: Operation = Operation.REWRITE
    partitions: PartitionPredicate | None = None
    force_full: bool = False

    def document(self) -> dict[str, Any]:
        """Return all but the operation as JSON, without what is not set."""
        written: dict[str, Any] = {} if self.partitions is None else {"partitions": document(self.partitions)}
        return written | ({"force_full": True} if self.force_full else {})

    def key(self, *, nonce: str | None = None) -> str:
        """Return the SHA-256 of the canonical request, equal for equal requests; a nonce makes it differ from all."""
        parts = {"operation": self.operation.value, **self.document()} | ({} if nonce is None else {"nonce": nonce})
        return hashlib.sha256(json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    @classmethod
    def of(cls, run: Run) -> Self:
        """Return what a stored run was asked for."""
        given = run.request.get("partitions")
        partitions = None if given is None else _PREDICATE.validate_python(given)
        return cls(run.operation, partitions, bool(run.request.get("force_full")))
