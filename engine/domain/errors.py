"""Every error of Packhouse, split by what the one who gets it can do.

    PackhouseError
    ├── Rejected                the caller must change something
    │   ├── InvalidInput        a field is wrong; carries one FieldProblem for each
    │   ├── NotFound            no such object (or not for this caller)
    │   ├── StateConflict       the object's state forbids it
    │   │   ├── TableReplaced   the table was dropped and created again under its name
    │   │   ├── TableUnreadable the table's metadata can't be read
    │   │   └── TakenBack       somebody else rolled back what was committed
    │   ├── PreconditionFailed  the object changed since it was read
    │   ├── PreconditionRequired  a write needs If-Match or If-None-Match
    │   ├── Unauthenticated     no key, or not a valid one
    │   ├── Forbidden           the caller's role or teams do not allow it
    │   └── NotEligible         the table can't be rewritten; names the failed conditions
    ├── Transient               the same call may work later; retried with back-off
    │   ├── Away                a dependency does not answer; not counted as a failed attempt
    │   └── CredentialsExpired  temporary credentials are past their time; retried with new ones, not counted
    ├── SparkFailed             Spark answered: the task failed, and here is its first cause
    ├── Interrupted             the Spark operation was stopped because somebody asked for it
    ├── CommitConflict          the table moved on: plan again, with a smaller scope
    ├── OutcomeUnknown          nobody knows whether it happened: read the table
    ├── LeaseLost               another holder advances the run now: drop everything
    ├── IllegalTransition       a state change that the lifecycle does not have
    ├── SchemaUnsupported       the database's schema is not one that this version can use: migrate it
    └── Fatal                   an invariant broke: stop and call a human

`code` is stable and part of the API's contract; the text is for people and names the field, the value and the remedy.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from engine.domain.fleet.dependencies import Dependency


class PackhouseError(Exception):
    """Root of all errors raised on purpose."""

    code: ClassVar[str] = "internal"

    def __init__(self, message: str, *, details: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details or {}


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """One wrong field: a JSON pointer to it, what is wrong, the value as given, and how to mend it."""

    pointer: str
    message: str
    value: Any = None
    hint: str | None = None


class Rejected(PackhouseError):
    """The caller must change something; trying again as is will fail again."""

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


class TableReplaced(StateConflict):
    """The catalog now holds another table under the registered name: its uuid differs from the registered one."""

    code = "table_replaced"


class TableUnreadable(StateConflict):
    """The table's own metadata can't be read: damaged, too large, or of a kind that is not supported.

    It concerns this table only: neither its catalog nor the service is at fault, and trying again does not help.
    """

    code = "table_unreadable"


class TakenBack(StateConflict):
    """What we committed landed, and somebody else went back to before it: it is not done again."""

    code = "taken_back"


class PreconditionFailed(Rejected):
    """The object changed since the caller read it."""

    code = "precondition_failed"


class PreconditionRequired(Rejected):
    """The write needs `If-Match` (or `If-None-Match: *` for a new object)."""

    code = "precondition_required"


class Unauthenticated(Rejected):
    """The request carries no valid API key."""

    code = "unauthenticated"


class Forbidden(Rejected):
    """The caller is known, but its role or its teams do not allow this; the message names what is wanted and held."""

    code = "forbidden"


class NotEligible(Rejected):
    """The table can't be rewritten in its current state; `details["failed"]` names each failed condition."""

    code = "not_eligible"


class Transient(PackhouseError):
    """An outside service did not answer; the same call may work later.

    `retry_after_seconds`: when to try again at the earliest, None: the caller's own choice.
    """

    code = "unavailable"

    def __init__(
        self, message: str, *, details: dict[str, Any] | None = None, retry_after_seconds: int | None = None
    ) -> None:
        super().__init__(message, details=details)
        self.retry_after_seconds = retry_after_seconds


class Away(Transient):
    """A dependency does not answer. Runs that need it wait for it; their attempts do not count as failed."""

    def __init__(
        self,
        dependency: Dependency,
        message: str,
        *,
        details: dict[str, Any] | None = None,
        retry_after_seconds: int | None = None,
    ) -> None:
        super().__init__(message, details=details, retry_after_seconds=retry_after_seconds)
        self.dependency = dependency


class CredentialsExpired(Transient):
    """A store or catalog refused temporary credentials because they expired; opening the table gets new ones."""


class SparkFailed(PackhouseError):
    """Spark ran what it was sent and it failed; `details["cause"]` is the class of the first meaningful cause."""

    code = "spark_failed"


class Interrupted(PackhouseError):
    """The Spark operation was stopped on request; its Python task may live on for some seconds."""

    code = "interrupted"


class CommitConflict(PackhouseError):
    """The table changed under the plan; what was planned can't be committed as it is."""

    code = "commit_conflict"


class OutcomeUnknown(PackhouseError):
    """The answer to a commit was lost; only the table can tell."""

    code = "outcome_unknown"


class LeaseLost(PackhouseError):
    """The lease expired or was taken over: this holder may not write any more."""

    code = "lease_lost"


class IllegalTransition(PackhouseError):
    """The run's lifecycle has no such change of state."""

    code = "illegal_transition"


class SchemaUnsupported(PackhouseError):
    """The database's schema is older than this version needs, or newer than it can use; the message says the remedy."""

    code = "schema_unsupported"


class Fatal(PackhouseError):
    """An invariant does not hold; maintenance of the table stops until a human looked."""

    code = "invariant_broken"
