"""Every error of Packhouse, classified by what the receiver can do about it.

    PackhouseError
    ├── Rejected                the caller must change something
    │   ├── InvalidInput        a field is wrong; carries one FieldProblem for each
    │   ├── NotFound            no such object (or not for this caller)
    │   ├── StateConflict       the object's state forbids it
    │   │   ├── TableReplaced   the table was dropped and created again under its name
    │   │   ├── TableUnreadable the table's metadata can't be read
    │   │   ├── TakenBack       another writer rolled back the run's commit
    │   │   ├── RequestNotServed  the catalog refused a commit, which certainly took no effect
    │   │   └── EffectsChanged  more would be deleted than was acknowledged
    │   ├── ListExpired         the state of the table that a list shows is gone: begin the list again
    │   ├── PreconditionFailed  the object changed since it was read
    │   ├── PreconditionRequired  a write needs If-Match or If-None-Match
    │   ├── AcknowledgementRequired  a write after which more is deleted needs an acknowledgement of its preview
    │   ├── Unauthenticated     no key, or not a valid one
    │   ├── Forbidden           the caller's role or teams do not allow it
    │   └── NotEligible         the table can't be rewritten; names the failed conditions
    ├── Transient               the same call may succeed later; retried with back-off
    │   ├── LockHeld            others hold the lock that a commit takes; nothing was sent
    │   ├── Away                a dependency does not answer; not counted as a failed attempt
    │   └── CredentialsExpired  temporary credentials are past their time; retried with new ones, not counted
    ├── SparkFailed             Spark reported that the task failed; carries its first cause
    ├── Interrupted             the Spark operation was stopped on request
    ├── CommitConflict          another writer changed the table: plan again, with a smaller scope
    ├── OutcomeUnknown          it is unknown whether the commit happened: read the table
    ├── LeaseLost               another holder advances the run now: stop working on it
    ├── IllegalTransition       a state change that the lifecycle does not have
    ├── SchemaUnsupported       this version can't use the database's schema: migrate it
    └── Fatal                   an invariant does not hold: stop until an operator has looked at it

`code` is stable and part of the API's contract; the text is for people and names the field, the value and the remedy.
If the remedy is an operation of the API, the error carries it as data as well (`engine.domain.remedies`).
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.remedies import Remedy


class PackhouseError(Exception):
    """Root of all errors raised on purpose."""

    code: ClassVar[str] = "internal"

    def __init__(self, message: str, *, details: dict[str, Any] | None = None, remedy: Remedy | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details or {}
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """One wrong field: its JSON pointer, the problem, the given value, and how to fix it, in words and as data."""

    pointer: str
    message: str
    value: Any = None
    hint: str | None = None
    remedy: Remedy | None = None


class Rejected(PackhouseError):
    """The caller must change the request; sending it again unchanged fails again."""

    code = "rejected"


class InvalidInput(Rejected):
    """One or more fields are wrong."""

    code = "invalid_input"

    def __init__(self, message: str, *, problems: tuple[FieldProblem, ...] = ()) -> None:
        super().__init__(message)
        self.problems = problems


class NotFound(Rejected):
    """No such object, or none that this caller may see."""

    code = "not_found"


class StateConflict(Rejected):
    """The object's present state forbids the request."""

    code = "state_conflict"


class RequestNotServed(StateConflict):
    """A request had no effect: the catalog does not serve such requests, or refused the only attempt."""


class TableReplaced(StateConflict):
    """The catalog now holds another table under the registered name: its uuid differs from the registered one."""

    code = "table_replaced"


class TableUnreadable(StateConflict):
    """The table's own metadata can't be read: it is damaged, too large, or of an unsupported kind.

    It concerns this table only: neither its catalog nor the service is at fault, and a retry does not help.
    """

    code = "table_unreadable"


class TakenBack(StateConflict):
    """The run's commit succeeded, and another writer rolled the table back to before it: it is not repeated."""

    code = "taken_back"


class EffectsChanged(StateConflict):
    """More would be deleted now than the acknowledged preview showed; `details` has the new preview."""

    code = "effects_changed"


class ListExpired(Rejected):
    """A page token continues a list of a state that can't be read any more; the list has to begin again."""

    code = "list_expired"


class PreconditionFailed(Rejected):
    """The object changed since the caller read it."""

    code = "precondition_failed"


class PreconditionRequired(Rejected):
    """The write needs `If-Match` (or `If-None-Match: *` for a new object)."""

    code = "precondition_required"


class AcknowledgementRequired(Rejected):
    """After this write more would be deleted than before; `details` has the preview and its token `acknowledge`."""

    code = "acknowledgement_required"


class Unauthenticated(Rejected):
    """The request carries no valid API key."""

    code = "unauthenticated"


class Forbidden(Rejected):
    """The caller's role or teams do not allow the request; the message names the required and the held ones."""

    code = "forbidden"


class NotEligible(Rejected):
    """The table can't be rewritten in its current state; `details["failed"]` names each failed condition."""

    code = "not_eligible"


class Transient(PackhouseError):
    """An external service did not answer; the same call may succeed later.

    `retry_after_seconds`: the least time to wait before a retry; None: the caller chooses.
    """

    code = "unavailable"

    def __init__(
        self, message: str, *, details: dict[str, Any] | None = None, retry_after_seconds: int | None = None
    ) -> None:
        super().__init__(message, details=details)
        self.retry_after_seconds = retry_after_seconds


class LockHeld(Transient):
    """Other programs hold the lock that a commit takes: nothing was sent; the message says who."""


class Away(Transient):
    """A dependency does not answer. Runs that need it wait for it; their attempts do not count as failed.

    `endpoint`: of Spark, the endpoint; None: the default one.
    """

    def __init__(
        self,
        dependency: DependencyKind,
        message: str,
        *,
        details: dict[str, Any] | None = None,
        retry_after_seconds: int | None = None,
        endpoint: str | None = None,
    ) -> None:
        super().__init__(message, details=details, retry_after_seconds=retry_after_seconds)
        self.dependency = dependency
        self.endpoint = endpoint


class CredentialsExpired(Transient):
    """A store or catalog refused temporary credentials because they expired; opening the table gets new ones."""


class SparkFailed(PackhouseError):
    """A Spark operation failed; `details["cause"]` is the class of the first meaningful cause."""

    code = "spark_failed"


class Interrupted(PackhouseError):
    """The Spark operation was stopped on request; its Python task may continue for some seconds."""

    code = "interrupted"


class CommitConflict(PackhouseError):
    """Another writer changed the table after planning; the plan can't be committed unchanged."""

    code = "commit_conflict"


class OutcomeUnknown(PackhouseError):
    """The answer to a commit was lost; only the table shows whether it happened."""

    code = "outcome_unknown"


class LeaseLost(PackhouseError):
    """The lease expired or was taken over: this holder may not write any more."""

    code = "lease_lost"


class IllegalTransition(PackhouseError):
    """The run's lifecycle does not allow this change of state."""

    code = "illegal_transition"


class SchemaUnsupported(PackhouseError):
    """The database's schema is older or newer than this version supports; the message contains the remedy."""

    code = "schema_unsupported"


class Fatal(PackhouseError):
    """An invariant does not hold; maintenance of the table stops until an operator has looked at it."""

    code = "invariant_broken"
