"""Map errors to `application/problem+json` (RFC 9457). Nothing else in the API builds error answers.

Domain errors have their code; errors of the HTTP layer are `EdgeProblem`; errors of the framework are mapped by status.
An unexpected error becomes a 500 with only the request id; the log has the details.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

import structlog
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic_core import to_jsonable_python
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from api.http.methods import allow_header, allowed_methods
from api.problems.catalogue import BY_STATUS, PROBLEM_TYPES
from api.problems.responses import MEDIA_TYPE
from api.problems.validation import problems_of
from api.schemas.remedies import Remedy
from engine.domain import remedies
from engine.domain.errors import FieldProblem, InvalidInput, PackhouseError, Rejected, Transient, Unauthenticated

RETRY_AFTER_SECONDS: Final = 5
_LONGEST_VALUE: Final = 200
_log = structlog.get_logger(__name__)


class EdgeProblem(HTTPException):
    """A problem of HTTP itself (media types, sizes, preconditions); `code` is one of `PROBLEM_TYPES`.

    An `HTTPException`, because FastAPI replaces any other error that is raised while it reads a body.
    """

    def __init__(self, code: str, detail: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(PROBLEM_TYPES[code].status, detail, dict(headers or {}))
        self.code = code


def register(app: FastAPI) -> None:
    """Make the app answer errors as problems."""
    app.add_exception_handler(PackhouseError, answer)
    app.add_exception_handler(EdgeProblem, answer)
    app.add_exception_handler(RequestValidationError, answer)
    app.add_exception_handler(HTTPException, answer)


def answer(request: Request, error: Exception) -> Response:
    """Return the problem answer for any error."""
    match error:
        case PackhouseError():
            return _domain(request, error)
        case EdgeProblem():
            return problem(request, error.code, error.detail, headers=error.headers)
        case RequestValidationError():
            return _validation(request, error)
        case HTTPException() if error.status_code in BY_STATUS:
            code = BY_STATUS[error.status_code]
            detail = f"{request.method} {request.url.path}: {PROBLEM_TYPES[code].title.lower()}"
            headers = dict(error.headers or {})
            if code == "method_not_allowed":  # the framework names the methods of the first route only
                headers["Allow"] = allow_header(allowed_methods(request.app, request.scope["path"]))
            return problem(request, code, detail, headers=headers)
        case _:
            return _unexpected(request, error)


def problem(
    request: Request,
    code: str,
    detail: str,
    *,
    headers: Mapping[str, str] | None = None,
    errors: tuple[FieldProblem, ...] = (),
    details: Mapping[str, Any] | None = None,
    remedy: remedies.Remedy | None = None,
) -> Response:
    """Return one problem document. Text is escaped to ASCII: a caller's text may contain half a surrogate pair."""
    kind = PROBLEM_TYPES.get(code, PROBLEM_TYPES["internal"])
    document: dict[str, Any] = {
        "type": kind.uri,
        "title": kind.title,
        "status": kind.status,
        "detail": detail,
        "instance": request.url.path,
        "code": kind.code,
        "request_id": request.scope.get("state", {}).get("request_id"),
    }
    if remedy is not None:
        document["remedy"] = Remedy.from_domain(remedy).model_dump()
    if errors:
        document["errors"] = [_field(field) for field in errors]
    if details:
        document["details"] = to_jsonable_python(details, fallback=str, inf_nan_mode="strings")
    body = json.dumps(document).encode("ascii")
    return Response(body, kind.status, headers=dict(headers or {}), media_type=MEDIA_TYPE)


def _domain(request: Request, error: PackhouseError) -> Response:
    match error:
        case InvalidInput():
            return problem(request, error.code, error.message, errors=error.problems)
        case Unauthenticated():
            return problem(request, error.code, error.message, headers={"WWW-Authenticate": 'Bearer realm="packhouse"'})
        case Rejected():
            return problem(request, error.code, error.message, details=error.details, remedy=error.remedy)
        case Transient():
            seconds = error.retry_after_seconds or RETRY_AFTER_SECONDS
            return problem(request, error.code, error.message, headers={"Retry-After": str(seconds)})
        case _:  # errors of running rewrites do not reach the API
            return _unexpected(request, error)


def _unexpected(request: Request, error: Exception) -> Response:
    _log.error("unexpected_error", path=request.url.path, exc_info=error)
    return problem(request, "internal", "an unexpected error; the log of the api has it under this request id")


def _field(field: FieldProblem) -> dict[str, Any]:
    return {
        "pointer": field.pointer,
        "message": field.message,
        "value": _shown(field.value),
        "hint": field.hint,
        "remedy": None if field.remedy is None else Remedy.from_domain(field.remedy).model_dump(),
    }


def _shown(value: Any) -> Any:
    """Return a value in the form that an answer may repeat: shortened, and only numbers that JSON has."""
    shown = to_jsonable_python(value, fallback=str, inf_nan_mode="strings")
    if isinstance(shown, str) and len(shown) > _LONGEST_VALUE:
        return shown[:_LONGEST_VALUE] + "…"
    return shown if not isinstance(shown, dict | list) or len(json.dumps(shown)) <= _LONGEST_VALUE else None


def _validation(request: Request, error: RequestValidationError) -> Response:
    problems = problems_of(error, request.scope.get("route"))
    count = "one field is" if len(problems) == 1 else f"{len(problems)} fields are"
    return problem(request, "invalid_input", f"{count} wrong; see errors", errors=problems)
