"""Requests to a REST catalog: JSON in, JSON out, with limits of size and time.

The server is only trusted with its tables: no redirect is followed, since the token would be sent along, the address
of the host is checked after each connect and before anything is sent, and no environment variable names a proxy.
"""

import ssl
import time
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from typing import Any, Final

import httpx

from engine.domain.errors import Away, NotFound, StateConflict
from engine.domain.fleet.dependencies import Dependency
from engine.domain.values.uris import masked
from engine.formats.intake.documents import Document
from engine.formats.intake.errors import printable, summary_of
from engine.formats.intake.limits import Malformed, too_large
from engine.formats.intake.permissions import CheckPeer

CONNECT_SECONDS: Final = 10.0
ANSWER_SECONDS: Final = 60.0
"""Limit of the whole answer to a request."""

ANSWER_BYTES: Final = 32 * 2**20
"""Limit of an answer. A table with 10,000 columns takes about 1 MB."""

_ANSWER_VALUES: Final = 1_000_000
_LONGEST_MESSAGE: Final = 200
_CONNECTED: Final = "connection.connect_tcp.complete"
_REMEDY: Final = "give the catalog's property `token` one that may do this"
_NOT_SENT: Final = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.UnsupportedProtocol,
)


class NoSuch(NotFound):
    """The catalog has no such object; `kind` is its type as the catalog names it: `TABLE`, `SNAPSHOT`, ….

    Without a kind it may be the answer of another server on the way to the catalog.
    """

    def __init__(self, message: str, *, kind: str) -> None:
        super().__init__(message)
        self.kind = kind

    @property
    def is_of_table(self) -> bool:
        """Whether the catalog says that it does not have the table, or its database."""
        return self.kind in ("TABLE", "DATABASE")


class Refused(StateConflict):
    """The catalog refuses a request; those about other objects may be answered."""


class NotAllowed(Refused):
    """The catalog refuses one object to this user, who may have others."""


class NotSupported(Refused):
    """The server does not have this request."""


class Redirected(StateConflict):
    """The server answers with a redirect, which is not followed."""


class NoAnswer(Away):
    """A request was sent and has no answer, or that of a server which failed: it may have had its effect."""


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    body: bytes
    redirect: str


class RestClient:
    """Sends requests to the server at `uri`. Thread-safe; nothing is sent by the constructor.

    `get` and `post` raise:
        NoSuch, NotAllowed, NotSupported, Refused: as above.
        StateConflict: the server refuses the token; as `Redirected`, it answers with a redirect.
        Away: the server can't be reached, or asks to wait; nothing was done.
        NoAnswer: see there.
        InvalidInput: `check_peer` refuses the address of the server; nothing was sent.
        Malformed: the answer is too large or no JSON object.
    """

    def __init__(self, *, uri: str, token: str, check_peer: CheckPeer) -> None:
        self._uri = uri.rstrip("/")
        self._token = token
        self._check_peer = check_peer

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Document:
        """Return the answer to a request without effects; connections are used again for a few seconds."""
        return self._document(self._sent(self._client, "GET", path, query, b""))

    def post(self, path: str, body: bytes) -> Document:
        """Return the answer to a request with effects, which is sent once over a connection of its own."""
        with self._opened() as client:
            return self._document(self._sent(client, "POST", path, None, body))

    @cached_property
    def _client(self) -> httpx.Client:
        client = self._opened()
        weakref.finalize(self, client.close)
        return client

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    def _opened(self) -> httpx.Client:
        timeout = httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS)
        return httpx.Client(timeout=timeout, follow_redirects=False, trust_env=False, verify=self._tls)

    def _sent(
        self, client: httpx.Client, method: str, path: str, query: Mapping[str, str] | None, body: bytes
    ) -> _Answer:
        headers = {"Accept-Encoding": "identity", "Authorization": f"Bearer {self._token}"}
        if body:
            headers["Content-Type"] = "application/json"
        until = time.monotonic() + ANSWER_SECONDS
        try:
            with client.stream(
                method,
                f"{self._uri}{path}",
                params=query,
                content=body,
                headers=headers,
                extensions={"trace": self._check},
            ) as response:
                found = _body(response, until)
                return _Answer(response.status_code, found, response.headers.get("location", ""))
        except (httpx.InvalidURL, httpx.LocalProtocolError, UnicodeError) as error:  # may have the token in its text
            raise StateConflict(f"no request can be made of `uri` and `token`: {type(error).__name__}") from None
        except _NOT_SENT as error:
            raise Away(Dependency.CATALOG, f"the catalog at {masked(self._uri)}: {summary_of(error)}") from error
        except (httpx.HTTPError, httpx.StreamError, OSError) as error:
            raise NoAnswer(Dependency.CATALOG, f"the catalog at {masked(self._uri)}: {summary_of(error)}") from error

    def _check(self, event: str, info: Mapping[str, Any]) -> None:
        """Check the address of a new connection; a callback of httpcore's `trace`."""
        if event != _CONNECTED:
            return
        stream = info["return_value"]
        try:
            self._check_peer(str(stream.get_extra_info("server_addr")[0]))
        except BaseException:
            stream.close()
            raise

    def _document(self, answer: _Answer) -> Document:
        status = answer.status
        if 200 <= status < 300:  # noqa: PLR2004
            return Document.parse(answer.body, most_values=_ANSWER_VALUES)
        told, kind = _told(answer.body, self._token)
        message = f"the catalog at {masked(self._uri)} answers {status}{told}"
        if 300 <= status < 400:  # noqa: PLR2004
            target = _shown(answer.redirect, self._token)
            raise Redirected(f"{message}: a redirect to {target!r}, which is not followed; correct `uri`")
        match status:
            case HTTPStatus.UNAUTHORIZED:
                raise StateConflict(f"{message}; {_REMEDY}")
            case HTTPStatus.FORBIDDEN:
                raise NotAllowed(f"{message}; {_REMEDY}")
            case HTTPStatus.NOT_FOUND:
                raise NoSuch(message, kind=kind)
            case HTTPStatus.METHOD_NOT_ALLOWED | HTTPStatus.NOT_IMPLEMENTED:
                raise NotSupported(message)
            case HTTPStatus.TOO_MANY_REQUESTS:
                raise Away(Dependency.CATALOG, message)
            case _ if 400 <= status < 500 and status != HTTPStatus.REQUEST_TIMEOUT:  # noqa: PLR2004
                raise Refused(message)
        raise NoAnswer(Dependency.CATALOG, message)


def _body(response: httpx.Response, until: float) -> bytes:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise Malformed("the answer is compressed, although it was asked not to be")
    body = bytearray()
    for part in response.iter_raw():
        body += part
        if len(body) > ANSWER_BYTES:
            raise too_large("the answer has", "", ANSWER_BYTES)
        if time.monotonic() > until:
            raise httpx.ReadTimeout(f"the answer took longer than {ANSWER_SECONDS:g} s")
    return bytes(body)


def _told(body: bytes, token: str) -> tuple[str, str]:
    """Return the message of an error, with a colon before it, and the type of the object that it is about."""
    try:
        document = Document.parse(body, most_values=_ANSWER_VALUES)
        message, kind = document.optional_text("message"), document.optional_text("resourceType")
    except Malformed:
        return "", ""
    return f": {_shown(message, token)}" if message else "", kind or ""


def _shown(text: str, token: str) -> str:
    """Return the first characters of a server's text; the token is masked in case the server repeats it."""
    return printable(masked(text.replace(token, "***")[:_LONGEST_MESSAGE]))
