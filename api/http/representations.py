"""ETags of reads with 304 answers, and compression of answers.

The ETag of a read is a digest of its body. Where the object has a version, the handler sets `"3"`, and the read's ETag
is `"3-<digest>"`: a 304 is sent only if the body is unchanged, including parts outside of the version (a pause, the
caller's rights), while `If-Match` compares the version alone. Other ETags are weak.

Answers are compressed on request, except event streams, answers below `SMALLEST_BYTES`, and answers marked
`no-transform`: one with a new secret must not be compressed, since its length would reveal its content.
"""

import re
from hashlib import blake2b
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.gzip import GZipResponder, IdentityResponder
from starlette.types import ASGIApp, Message, Receive, Scope, Send

NOT_COMPRESSED: Final = "no-store, no-transform"
"""`Cache-Control` of answers with secrets."""

SMALLEST_BYTES: Final = 1024
CONDITIONAL: Final = "GET"
"""The method of reads that have an ETag and answer 304; `api.openapi.rules` declares 304 by it."""

_OK: Final = 200
_LEVEL: Final = 5  # JSON shrinks by about 90 %; level 9 takes three times as long for 2 % more
_DIGEST_BYTES: Final = 8
_DROPPED: Final = ("content-length", "content-type", "content-encoding")
_NOTHING: Final = re.compile(r"q=0(\.0{0,3})?")
_OPAQUE: Final = re.compile(r'(?:W/)?("[^"]*")')


class ConditionalReads:
    """Add an ETag to reads, and answer 304 without a body if `If-None-Match` has it. Inside of compression."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http" or scope["method"] != CONDITIONAL:
            await self._app(scope, receive, send)
            return
        asked = Headers(scope=scope).get("if-none-match")
        start: Message | None = None

        async def conditional(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and message["status"] == _OK:
                start = message  # delayed until the body is known
                return
            if start is not None:
                kept, start = start, None
                if not message.get("more_body", False):
                    message = _tagged(kept, message, asked)
                await send(kept)
            await send(message)

        await self._app(scope, receive, conditional)


def _tagged(start: Message, body: Message, asked: str | None) -> Message:
    """Set the ETag of a complete answer; make it a 304 if the caller has it. Return the body to send."""
    headers = MutableHeaders(scope=start)
    digest = blake2b(body.get("body", b""), digest_size=_DIGEST_BYTES).hexdigest()
    version = headers.get("etag")
    headers["ETag"] = f'W/"{digest}"' if version is None else f'"{version.strip(chr(34))}-{digest}"'
    if asked is None or not _has(asked, headers["ETag"]):
        return body
    start["status"] = 304
    for name in _DROPPED:
        del headers[name]
    return {**body, "body": b""}


def _has(asked: str, etag: str) -> bool:
    """Return whether `If-None-Match` contains an ETag, by weak comparison (RFC 9110, 13.1.2)."""
    return asked.strip() == "*" or etag.removeprefix("W/") in _OPAQUE.findall(asked)


class Compression:
    """Compress answers for callers that accept gzip."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        layer: ASGIApp = self._app
        if scope["type"] == "http":
            accepts = accepts_gzip(Headers(scope=scope).get("accept-encoding", ""))
            layer = _Gzip(layer) if accepts else IdentityResponder(layer, SMALLEST_BYTES)
        await layer(scope, receive, send)


class _Gzip(GZipResponder):
    """Compresses one answer, unless it is marked `no-transform`."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(app, SMALLEST_BYTES, _LEVEL)
        self._is_marked = False

    async def send_with_compression(self, message: Message) -> None:
        """Send a message of the answer, compressed if it may be."""
        if message["type"] == "http.response.start":
            self._is_marked = "no-transform" in Headers(raw=message["headers"]).get("cache-control", "")
        await (self.send(message) if self._is_marked else super().send_with_compression(message))


def accepts_gzip(header: str) -> bool:
    """Return whether an `Accept-Encoding` header accepts gzip: by name or by `*`, and not with the weight 0."""
    accepted: dict[str, bool] = {}
    for entry in header.lower().split(","):
        coding, *parameters = (part.strip() for part in entry.split(";"))
        accepted[coding] = not any(_NOTHING.fullmatch(part) for part in parameters)
    return accepted.get("gzip", accepted.get("*", False))
