"""`Idempotency-Key` on POSTs that create: a repeated request is executed once and gets the same answer twice.

Handlers give their service an `AnswerRecord` of the request (`KeyedRequestDep`): the answer is stored in the
transaction of the change. Only answers of changes are stored: a refused request may be corrected and sent again with
the same key. The scope of a key is the caller (with its role and teams) and the path; another body with it is an error.
"""

import hashlib
import re
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final

from fastapi import Depends, Header
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from engine.domain.access.callers import Caller
from engine.domain.access.keyed_requests import KeyedRequest, StoredAnswer, Superseded
from engine.domain.errors import FieldProblem, InvalidInput, Rejected

Handler = Callable[[Request], Awaitable[Response]]
_KEY: Final = re.compile(r"[\x21-\x7e]{1,255}")


async def idempotency_key(
    idempotency_key: Annotated[
        str | None,
        Header(
            description="Makes a retry safe: the same key and body within 24 hours gets the same answer.",
            max_length=255,
            json_schema_extra={"minLength": 1, "pattern": f"^{_KEY.pattern}$"},
            examples=["2f1c4f4e-6f0e-4f6e-9a0b-0f8b5f0c9d11"],
        ),
    ] = None,
) -> None:
    """Declare the header for a router of creating routes."""


async def _keyed_request(request: Request) -> KeyedRequest | None:
    """Return the request with its key, None without one; `IdempotentRoute` has read it."""
    keyed: KeyedRequest | None = getattr(request.state, "keyed_request", None)
    return keyed


KeyedRequestDep = Annotated[KeyedRequest | None, Depends(_keyed_request)]


class IdempotentRoute(APIRoute):
    """A route whose POSTs honour `Idempotency-Key`."""

    def get_route_handler(self) -> Callable[[Request], Any]:
        """Wrap the handler: look for a stored answer first, and before a refusal."""
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            key = request.headers.get("idempotency-key")
            if request.method != "POST" or key is None:
                return await handler(request)
            return await _once(request, _checked(key), handler)

        return handle


def answer_of(
    model: BaseModel, status: int, *, location: str | None = None, version: int | None = None
) -> StoredAnswer:
    """Return the answer with a document, and with the address and the version of the object that was created."""
    headers = {"content-type": "application/json"}
    headers |= {} if location is None else {"location": location}
    headers |= {} if version is None else {"etag": f'"{version}"'}
    return StoredAnswer(status, headers, model.model_dump_json(by_alias=True).encode())


def response_of(answer: StoredAnswer, *, is_repeated: bool = False) -> Response:
    """Return the response with an answer, marked if it is that of an earlier sending."""
    mark = {"Idempotent-Replayed": "true"} if is_repeated else {}
    return Response(answer.body, answer.status, headers={**answer.headers, **mark})


async def _once(request: Request, key: str, handler: Handler) -> Response:
    entries = request.app.state.services.idempotency
    route = f"{request.method} {request.url.path}"
    if request.url.query:  # with an acknowledgement it is another request
        route += f"?{request.url.query}"
    keyed = KeyedRequest(_who(request.state.caller), route, key, hashlib.sha256(await request.body()).hexdigest())
    found = await entries.find(keyed)
    if isinstance(found, StoredAnswer):
        return response_of(found, is_repeated=True)
    request.state.keyed_request = found
    try:
        return await handler(request)
    except Superseded:
        stored = await entries.find(keyed)
        if not isinstance(stored, StoredAnswer):
            raise
    except Rejected:
        stored = await entries.refuse(found)
        if stored is None:
            raise
    return response_of(stored, is_repeated=True)


def _who(caller: Caller) -> str:
    """Return the caller's name with its rights: a reused name with other teams must not get earlier answers."""
    teams = "*" if caller.visible_teams is None else ",".join(sorted(caller.visible_teams))
    return f"{caller.subject} {caller.role} {teams}"


def _checked(key: str) -> str:
    if not _KEY.fullmatch(key):
        message = "an idempotency key is 1 to 255 visible ASCII characters"
        problem = FieldProblem("header:Idempotency-Key", message, None, "a UUID is a good key")
        raise InvalidInput("the idempotency key can't be used", problems=(problem,))
    return key
