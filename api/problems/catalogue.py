"""The catalogue of problem types: every `code` of an answer, with its status, title and explanation.

`/problems/{code}` shows the explanation; `api.http.errors` maps exceptions to these; `api.openapi` documents them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class ProblemType:
    """One type of problem. `code` is stable; `explanation` describes the meaning and the remedy."""

    code: str
    status: int
    title: str
    explanation: str

    @property
    def uri(self) -> str:
        """The problem type's URI path."""
        return f"/problems/{self.code}"

    def example(self) -> dict[str, Any]:
        """Return a problem document of this type, for the API's description."""
        return {
            "type": self.uri,
            "title": self.title,
            "status": self.status,
            "detail": self.explanation.split(". ")[0].rstrip(".") + ".",
            "instance": "/v1/…",
            "code": self.code,
            "request_id": "req_5f0c1a7e9b3d4c21",
        }


_TYPES: Final = (
    ProblemType(
        "unreadable",
        400,
        "The request can't be read",
        "The body is not JSON in UTF-8, repeats a key in one object, or is nested deeper than 32 levels. Nothing "
        "was done. `detail` names the error and its place.",
    ),
    ProblemType(
        "rejected",
        400,
        "The request is refused",
        "The request can't be executed in this form. `detail` gives the reason.",
    ),
    ProblemType(
        "unauthenticated",
        401,
        "A valid key is needed",
        "The request carries no valid API key. Send 'Authorization: Bearer pkh_…'. The first start of an installation "
        "writes its first key to `admin-key` in the data directory.",
    ),
    ProblemType(
        "forbidden",
        403,
        "The caller may not do this",
        "The key or token is valid, but its role is not sufficient, or the object belongs to a team that the caller "
        "is not in. `detail` names the required role and the caller's role; an admin creates keys with other "
        "roles and teams.",
    ),
    ProblemType(
        "not_found",
        404,
        "There is no such object",
        "The object does not exist, or the caller may not see it. `detail` names the requested object.",
    ),
    ProblemType(
        "method_not_allowed",
        405,
        "The resource does not have this method",
        "The path exists but not with this method. The Allow header lists the methods it has.",
    ),
    ProblemType(
        "not_acceptable",
        406,
        "No such representation",
        "The Accept header asks for a media type that this resource does not have. Ask for application/json, or for "
        "text/event-stream where events are streamed.",
    ),
    ProblemType(
        "request_timeout",
        408,
        "The request did not arrive in time",
        "The headers of a request must arrive within 10 seconds and its body within 30. Nothing was done; send it "
        "again on a new connection.",
    ),
    ProblemType(
        "state_conflict",
        409,
        "The object's state does not allow it",
        "The object's state does not allow this: for example the name is taken, tables are still registered, the run "
        "has ended, or another sending of the request with the same Idempotency-Key was refused while this one was in "
        "flight. `detail` names the cause.",
    ),
    ProblemType(
        "table_replaced",
        409,
        "The table was dropped and created again",
        "The catalog holds another table under the registered name: its uuid is not the registered one. The new "
        "table is not changed, because its policy was written for the old one. Delete the registration and "
        "register the table again.",
    ),
    ProblemType(
        "list_expired",
        410,
        "The list has to begin again",
        "The page token continues a list of a snapshot that the table does not have any more: it has expired, or "
        "tables of this format keep none. Send the request without `page_token`: the list begins again, at the "
        "current snapshot. Both SDKs do so in their iterators, without giving an item twice.",
    ),
    ProblemType(
        "table_unreadable",
        409,
        "The table's metadata can't be read",
        "The table's own metadata, a manifest list or a manifest of it is damaged, larger than the limits, or of a "
        "kind that is not supported, such as a column of a newer type. `detail` names the place and the value. No run "
        "changes the table until a program that understands it has corrected it. Other tables are not affected.",
    ),
    ProblemType(
        "not_eligible",
        409,
        "The table can't be rewritten in its current state",
        "The table does not meet a condition of the rewrite. `details.failed` names each failed condition; explain "
        "shows all conditions.",
    ),
    ProblemType(
        "effects_changed",
        409,
        "More would be deleted than was acknowledged",
        "Since the preview whose token was sent in `acknowledge`, what the change deletes has grown by more than 10 %. "
        "Nothing was stored. `details.deletions` is the new preview, and `details.acknowledge` its token.",
    ),
    ProblemType(
        "precondition_failed",
        412,
        "The object changed since it was read",
        "The ETag of If-Match is not the current one, or If-None-Match: * was sent for an existing object. Read the "
        "object again, then repeat the change.",
    ),
    ProblemType(
        "body_too_large",
        413,
        "The body is too large",
        "A body has at most 1 MiB and 20,000 values; that of a running task at most 16 KiB. Send less, or several "
        "requests.",
    ),
    ProblemType(
        "unsupported_media_type",
        415,
        "The body must be JSON",
        "The body has another content type. Send it as JSON with 'Content-Type: application/json'.",
    ),
    ProblemType(
        "invalid_input",
        422,
        "Fields are wrong",
        "Fields of the request are wrong. `errors` has one entry for each: `pointer` is the place (a JSON pointer into "
        "the body, or `query:`, `path:`, `header:` and a name), `message` the error, `value` the given value, and "
        "`hint` the correction.",
    ),
    ProblemType(
        "precondition_required",
        428,
        "A precondition is needed",
        "A write of an object that several callers may edit must name the version it changes. Send If-Match with the "
        "ETag from GET, or If-None-Match: * for a new object.",
    ),
    ProblemType(
        "acknowledgement_required",
        428,
        "What it deletes must be acknowledged",
        "After this change more files or history would be deleted than before. Nothing was stored. "
        "`details.deletions` is a preview of the first deletions; check it, then repeat the same request with "
        "`acknowledge` set to `details.acknowledge`, a token that is valid for 15 minutes and for this change only.",
    ),
    ProblemType(
        "too_many_streams",
        429,
        "Too many open streams",
        "One caller may hold a limited number of event streams on each api process. Close some, or try again later.",
    ),
    ProblemType(
        "rate_limited",
        429,
        "Too many requests",
        "The caller has used all its requests of this minute, or its address has failed to authenticate too often. "
        "Retry-After gives the time until the next minute; the RateLimit headers of every answer give the rest.",
    ),
    ProblemType(
        "headers_too_large",
        431,
        "The headers are too large",
        "The request line and the headers of a request have at most 32 KiB together.",
    ),
    ProblemType(
        "internal",
        500,
        "Internal error",
        "An unexpected error occurred. The log of the api has the details under the request id of this answer.",
    ),
    ProblemType(
        "too_many_connections",
        503,
        "Too many open connections",
        "This process, or the address of the client, has reached its number of open connections. Close idle ones, "
        "reuse them for several requests, or try again later.",
    ),
    ProblemType(
        "unavailable",
        503,
        "A required service does not answer",
        "The database, the table's catalog or another service did not answer. The same request may work later; "
        "Retry-After gives the time to wait. `/readyz` shows the state of each service.",
    ),
)

PROBLEM_TYPES: Final[Mapping[str, ProblemType]] = {problem.code: problem for problem in _TYPES}
"""Problem types by code."""

BY_STATUS: Final[Mapping[int, str]] = {
    400: "unreadable",
    404: "not_found",
    405: "method_not_allowed",
    413: "body_too_large",
}
"""Codes for errors of the framework, by status."""
