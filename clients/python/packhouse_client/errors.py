"""Exceptions of the SDK, one class for each different reaction of a caller.

    PackhouseError
    ├── NoAnswer                 the server was not reached, or did not answer in time
    ├── UnreadableAnswer         the answer is not from a Packhouse of this version
    ├── RunFailed                a run that was waited for was refused, failed or was cancelled; carries the run
    ├── WaitTimedOut             a run that was waited for is still going on
    ├── NotWritten               a folder is still without a file that was put into it
    └── ApiError                 the server refused, with a problem document (RFC 9457)
        ├── BadRequest           the request can't be read or carried out as it is
        │   └── InvalidInput     fields are wrong; carries one `FieldProblem` for each
        ├── Unauthenticated      no key, or not a valid one
        ├── Forbidden            the caller's role does not allow it
        ├── NotFound             no such object, or none that the caller may see
        ├── StateConflict        the object's state forbids it
        │   ├── TableReplaced    the table was dropped and created again under its name
        │   ├── TableUnreadable  the table's metadata can't be read
        │   └── NotEligible      the table can't be rewritten as it stands
        ├── ListExpired          a page token is of a state that is gone; iterators begin again
        ├── PreconditionFailed   the object changed since it was read
        ├── PreconditionRequired a write needs `if_match` or `if_none_match`
        ├── RateLimited          too many requests; carries `retry_after`
        ├── Unavailable          a required service does not answer; carries `retry_after`
        └── ServerError          an unexpected error in the server

The class is chosen by the problem's `code`; for a code that this version does not know, by the HTTP status.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, ClassVar, Final

import httpx

if TYPE_CHECKING:
    from packhouse_client.models import RunDetail

_SHOWN_CHARACTERS: Final = 200


class PackhouseError(Exception):
    """Base class of all errors that the SDK raises on purpose."""


class NoAnswer(PackhouseError):
    """The server was not reached, or did not answer in time; `__cause__` is the httpx error."""


class UnreadableAnswer(PackhouseError):
    """An answer that this version can't read: another service at the address, or an older or newer server."""


class RunFailed(PackhouseError):
    """A run that was waited for ended as refused, failed or cancelled: `run.state` says which."""

    def __init__(self, run: "RunDetail") -> None:
        why = run.detail or run.reason
        super().__init__(f"run {run.id} {run.state}" + (f": {why}" if why else ""))
        self.run = run


class WaitTimedOut(PackhouseError, TimeoutError):
    """The timeout of a wait has passed; the run goes on."""


class NotWritten(PackhouseError):
    """A folder of a partition is still without a file, however often the file was put into it."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """The operation that ends a problem: its id, the parameters that are known, and its method and path."""

    operation_id: str
    parameters: Mapping[str, str]
    request: str

    @classmethod
    def of(cls, document: object) -> "Remedy | None":
        """Return the remedy of a problem or of a part of an answer; None if it has none."""
        if not isinstance(document, Mapping) or not isinstance(parameters := document.get("parameters"), Mapping):
            return None
        return cls(str(document.get("operation_id")), dict(parameters), str(document.get("request")))


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """One wrong field: a JSON pointer (or `query:…`, `header:…`), the fault, the given value, how to fix it."""

    pointer: str
    message: str
    value: Any = None
    hint: str | None = None
    remedy: Remedy | None = None


class ApiError(PackhouseError):
    """A refusal. `problem` is the whole problem document; `code` is `unknown` if the answer had none."""

    may_pass: ClassVar[bool] = False
    """Whether the same request may succeed later, without a change to it."""

    def __init__(self, status: int, problem: Mapping[str, Any], *, retry_after: float | None = None) -> None:
        self.status = status
        self.problem = problem
        self.code = str(problem.get("code") or "unknown")
        self.detail = str(problem.get("detail") or problem.get("title") or f"the server answered {status}")
        self.request_id: str | None = problem.get("request_id")
        self.retry_after = retry_after
        """Seconds to wait before the next request, from `Retry-After`; None without one."""
        super().__init__(self.detail)

    @property
    def remedy(self) -> Remedy | None:
        """The operation that ends the problem, if there is one."""
        return Remedy.of(self.problem.get("remedy"))

    @property
    def fields(self) -> tuple[FieldProblem, ...]:
        """The wrong fields, if the problem names any."""
        found = self.problem.get("errors") or ()
        return tuple(
            FieldProblem(
                str(e.get("pointer", "")),
                str(e.get("message", "")),
                e.get("value"),
                e.get("hint"),
                Remedy.of(e.get("remedy")),
            )
            for e in found
            if isinstance(e, Mapping)
        )

    def __str__(self) -> str:
        lines = [
            f"{field.pointer}: {field.message}" + (f" ({field.hint})" if field.hint else "") for field in self.fields
        ]
        return "; ".join([self.detail, *lines])


class BadRequest(ApiError):
    """The request can't be read or carried out; sending it again unchanged fails again."""


class InvalidInput(BadRequest):
    """One or more fields are wrong; `fields` names them."""


class Unauthenticated(ApiError):
    """The request carried no valid key."""


class Forbidden(ApiError):
    """The caller is known, but its role or teams do not allow it."""


class NotFound(ApiError):
    """No such object, or none that this caller may see."""


class StateConflict(ApiError):
    """The object's present state forbids the request."""

    may_pass: ClassVar[bool] = True


class TableReplaced(StateConflict):
    """The catalog holds another table under the registered name."""

    may_pass: ClassVar[bool] = False


class TableUnreadable(StateConflict):
    """The table's metadata is damaged, too large or not supported; `problem["detail"]` names the place."""

    may_pass: ClassVar[bool] = False


class NotEligible(StateConflict):
    """The table can't be rewritten in its current state; `problem["details"]` names the failed conditions."""

    may_pass: ClassVar[bool] = False


class ListExpired(ApiError):
    """A page token continues a list of a state that can't be read any more: begin again without it."""


class PreconditionFailed(ApiError):
    """The object changed since it was read: read it again, then decide."""


class PreconditionRequired(ApiError):
    """The write needs `if_match` (or `if_none_match="*"` for a new object)."""


class RateLimited(ApiError):
    """Too many requests or streams; retry after `retry_after` seconds."""

    may_pass: ClassVar[bool] = True


class Unavailable(ApiError):
    """A required service does not answer; the same request may work later."""

    may_pass: ClassVar[bool] = True


class ServerError(ApiError):
    """An unexpected error in the server; its log has the details under `request_id`."""

    may_pass: ClassVar[bool] = True


_BY_CODE: Final[Mapping[str, type[ApiError]]] = {
    "table_replaced": TableReplaced,
    "table_unreadable": TableUnreadable,
    "not_eligible": NotEligible,
}
_BY_STATUS: Final[Mapping[int, type[ApiError]]] = {
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: StateConflict,
    410: ListExpired,
    412: PreconditionFailed,
    422: InvalidInput,
    428: PreconditionRequired,
    429: RateLimited,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}


def from_response(response: httpx.Response) -> ApiError:
    """Return the error for a response of status 400 and above; its body must have been read."""
    problem = _problem(response)
    status = response.status_code
    fallback = ServerError if status >= httpx.codes.INTERNAL_SERVER_ERROR else BadRequest
    kind = _BY_CODE.get(str(problem.get("code"))) or _BY_STATUS.get(status, fallback)
    return kind(status, problem, retry_after=_seconds(response.headers.get("retry-after")))


def _problem(response: httpx.Response) -> dict[str, Any]:
    try:
        document = json.loads(response.content)
    except ValueError:
        document = None
    if isinstance(document, dict) and "title" in document:
        return document
    start = response.content[:_SHOWN_CHARACTERS].decode(errors="replace").strip()
    return {"detail": f"the server answered {response.status_code}" + (f": {start}" if start else "")}


def _seconds(header: str | None) -> float | None:
    """Read `Retry-After`: seconds, or an HTTP date."""
    if not header:
        return None
    if header.strip().isdecimal():
        return float(header)
    try:
        at = parsedate_to_datetime(header)
    except ValueError:
        return None
    return max(0.0, (at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
