"""Request bodies: read only when a handler asks for one, at most 1 MiB within 30 s, strict UTF-8 JSON.

Hazard: the middleware replaces `receive`, so its errors are raised inside the framework's body reading. They are HTTP
exceptions for that reason: FastAPI passes those on and turns all others into a bare 400.

Every check is linear in the size of the body: the parser of the standard library is, and the depth is counted on its
result. Linear is not enough: a body of 1 MiB can have 350,000 values, which take a second to parse, and more to
validate, during which the process answers no other request (a thread would hold the interpreter's lock as long). So the
number of values is limited before it is parsed. It is at most one more than the commas and opening brackets of the
body. Those within texts count too, so that no text can hide one: a scanner that looks for the ends of strings can be
led past the limit where it disagrees with the parser (an escape, another encoding).
"""

import asyncio
import json
import re
from typing import Any, Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.errors import EdgeProblem

MAX_BODY_BYTES: Final = 2**20
MAX_VALUES: Final = 20_000
"""Most values of a body: 200 grants of 50 patterns each, the largest but for one, have 11,000."""
MAX_VALUES_AT: Final = {"/v1/limits": 60_000}
"""Most values of other bodies by path: limits of 10,000 catalogs have 50,000."""
MAX_DEPTH: Final = 32
BODY_SECONDS: Final = 30.0
_SHOWN_CHARACTERS: Final = 80
_BODILESS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_LENGTH: Final = re.compile(r"[0-9]{1,18}")
_JSON: Final = re.compile(r"application/([a-z0-9.-]+\+)?json", re.IGNORECASE)


class BodyLimits:
    """Middleware with a `receive` that returns the whole checked body at its first call, or raises `EdgeProblem`."""

    def __init__(self, app: ASGIApp, *, seconds: float = BODY_SECONDS, most_bytes: int = MAX_BODY_BYTES) -> None:
        self._app = app
        self._seconds = seconds
        self._most_bytes = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http" or scope["method"] in _BODILESS:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        is_read = False

        async def checked() -> Message:
            nonlocal is_read
            if is_read:  # a handler that waits for the client to disconnect
                return await receive()
            is_read = True
            body = await self._read(headers, receive, self._most_bytes)
            if body:
                _check_media_type(headers)
                _check_values(body, MAX_VALUES_AT.get(scope["path"], MAX_VALUES))
                parse_json(body)
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, checked, send)

    async def _read(self, headers: Headers, receive: Receive, limit: int) -> bytes:
        declared = headers.get("content-length", "0")
        if not _LENGTH.fullmatch(declared) or int(declared) > limit:
            raise _too_large(limit)
        try:
            async with asyncio.timeout(self._seconds):
                return await _collect(receive, limit)
        except TimeoutError:
            detail = f"the body did not arrive within {self._seconds:g} seconds; send it faster, or in smaller requests"
            raise EdgeProblem("request_timeout", detail, headers={"Connection": "close"}) from None


def _check_values(body: bytes, limit: int) -> None:
    if sum(map(body.count, b",[{")) >= limit:
        detail = f"a body has at most {limit:,} values here, counted by its commas and opening brackets"
        raise EdgeProblem("body_too_large", detail)


def parse_json(body: bytes) -> Any:
    """Return the value of a JSON text.

    Raises:
        EdgeProblem: not UTF-8, not JSON, a key given twice in one object, or nested deeper than 32 levels.
    """
    encoding = json.detect_encoding(body)
    if encoding != "utf-8":
        raise _unreadable(f"the body is encoded as {encoding}; send JSON as UTF-8 without a byte order mark")
    try:
        value = json.loads(body, object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        raise _unreadable(f"the body is not UTF-8: byte {error.start} can't be decoded") from None
    except json.JSONDecodeError as error:
        raise _unreadable(f"the body is not JSON: {error.msg} at character {error.pos}") from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:  # the interpreter limits the digits of an integer
        raise _unreadable("the body holds a whole number of too many digits (more than 4300)") from None
    _check_depth(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object; refuse duplicate keys, because parsers differ in which of them counts."""
    built = dict(pairs)
    if len(built) == len(pairs):
        return built
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise _unreadable(f"the key {key[:_SHOWN_CHARACTERS]!r} is given twice in one object; give it once")
        seen.add(key)
    raise AssertionError("unreachable: fewer keys than pairs")


def _check_depth(value: Any) -> None:
    level = _containers([value])
    for _ in range(MAX_DEPTH):
        level = [inner for outer in level for inner in _containers(outer)]
    if level:
        raise _too_deep()


def _containers(outer: dict[str, Any] | list[Any]) -> list[Any]:
    values = outer.values() if isinstance(outer, dict) else outer
    return [value for value in values if isinstance(value, dict | list)]


async def _collect(receive: Receive, limit: int) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _unreadable("the connection was closed before the end of the body")
        body += message.get("body", b"")
        if len(body) > limit:
            raise _too_large(limit)
        if not message.get("more_body", False):
            return bytes(body)


def _check_media_type(headers: Headers) -> None:
    media_type = headers.get("content-type", "").split(";", 1)[0].strip()
    if not _JSON.fullmatch(media_type):
        shown = media_type[:_SHOWN_CHARACTERS] or "of no stated type"
        raise EdgeProblem("unsupported_media_type", f"the body is {shown}, not application/json")


def _too_large(limit: int) -> EdgeProblem:
    return EdgeProblem("body_too_large", f"a body has at most {limit} bytes here", headers={"Connection": "close"})


def _too_deep() -> EdgeProblem:
    return _unreadable(f"the body is nested deeper than {MAX_DEPTH} levels")


def _unreadable(detail: str) -> EdgeProblem:
    return EdgeProblem("unreadable", detail)
