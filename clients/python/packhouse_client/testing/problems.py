"""Refusals of the mock, with the server's `code` and status."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import httpx

_STATUS: Final[Mapping[str, int]] = {
    "unreadable": 400,
    "unauthenticated": 401,
    "not_found": 404,
    "method_not_allowed": 405,
    "state_conflict": 409,
    "precondition_failed": 412,
    "invalid_input": 422,
    "precondition_required": 428,
    "too_many_requests": 429,
    "internal": 500,
    "unavailable": 503,
}


class Refused(Exception):
    """A request that is answered with a problem."""

    def __init__(self, code: str, detail: str, *, errors: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.errors = errors

    def response(self, path: str) -> httpx.Response:
        """Return the problem document (RFC 9457)."""
        status = _STATUS[self.code]
        document: dict[str, Any] = {
            "type": f"/problems/{self.code}",
            "title": self.code.replace("_", " "),
            "status": status,
            "detail": self.detail,
            "instance": path,
            "code": self.code,
            "request_id": "req_mock",
        }
        if self.errors:
            document["errors"] = list(self.errors)
        return httpx.Response(status, json=document, headers={"content-type": "application/problem+json"})


def of_status(status: int, *, retry_after: int | None) -> httpx.Response:
    """Return a problem with a status, like that of a server with a fault."""
    code = next((code for code, of in _STATUS.items() if of == status), "internal")
    response = Refused(code, f"the mock was told to answer {status}").response("/")
    response.status_code = status
    if retry_after is not None:
        response.headers["Retry-After"] = str(retry_after)
    return response


def wrong_field(pointer: str, message: str, value: Any = None) -> Refused:
    """Return the refusal of one field."""
    entry = {"pointer": pointer, "message": message, "value": value, "hint": None}
    return Refused("invalid_input", "one field is wrong; see errors", errors=[entry])
