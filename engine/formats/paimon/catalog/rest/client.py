"""Requests to a REST catalog: JSON in, JSON out, with limits of size and time.

The server is only trusted with its tables: no redirect is followed, since the token or signature would be sent along,
the address of the host is checked before each connect, and no environment variable names a proxy.
"""

import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from http.client import HTTPException
from typing import Final
from urllib.parse import urlencode

from urllib3 import BaseHTTPResponse, PoolManager
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    NameResolutionError,
    NewConnectionError,
)

from engine.domain.errors import Away, NotFound, StateConflict
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.values.uris import masked
from engine.formats.intake.catalogs.connections import bounded_pools
from engine.formats.intake.documents import Document
from engine.formats.intake.errors import printable, summary_of
from engine.formats.intake.limits import Malformed, too_large
from engine.formats.paimon.catalog.rest.auth import Outgoing, RequestAuth
from engine.outgoing.bounds import CallLimits, CheckPeer

CONNECT_SECONDS: Final = 10.0
ANSWER_SECONDS: Final = 60.0
"""Limit of the whole answer to a request."""

ANSWER_BYTES: Final = 32 * 2**20
"""Limit of an answer. A table with 10,000 columns takes about 1 MB."""

_ANSWER_VALUES: Final = 1_000_000
_LONGEST_MESSAGE: Final = 200
_CHUNK_BYTES: Final = 64 * 1024
_MOST_KEPT: Final = 4
_NOT_SENT: Final = (ConnectTimeoutError, NameResolutionError, NewConnectionError)


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


class RequestRefused(StateConflict):
    """The catalog refuses a request; those about other objects may be answered."""


class NotAllowed(RequestRefused):
    """The catalog refuses one object to this user, who may have others."""


class NotSupported(RequestRefused):
    """The server does not have this request."""


class Redirected(StateConflict):
    """The server answers with a redirect, which is not followed."""


class RequestUnanswered(Away):
    """A request was sent and has no answer, or that of a server which failed: it may have had its effect."""


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    body: bytes
    redirect: str
    date: str


class RestClient:
    """Sends requests to the server at `uri`, which `auth` authenticates. Thread-safe; the constructor sends nothing.

    `get` and `post` raise:
        NoSuch, NotAllowed, NotSupported, RequestRefused: as above.
        StateConflict: the server refuses the credentials; as `Redirected`, it answers with a redirect.
        Away, CredentialsExpired: the server can't be reached, or asks to wait; nothing was done. So of `auth`.
        RequestUnanswered: see there.
        InvalidInput: `check_peer` refuses the address of the server; nothing was sent.
        Malformed: the answer is too large or no JSON object.
    """

    def __init__(self, *, uri: str, auth: RequestAuth, check_peer: CheckPeer) -> None:
        self._uri = uri.rstrip("/")
        self._auth = auth
        self._check_peer = check_peer

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Document:
        """Return the answer to a request without effects; connections are used again."""
        return self._document(self._sent(self._pool, "GET", path, query, b""))

    def post(self, path: str, body: bytes) -> Document:
        """Return the answer to a request with effects, which is sent once over a connection of its own."""
        with self._opened() as pool:
            return self._document(self._sent(pool, "POST", path, None, body))

    @cached_property
    def _pool(self) -> PoolManager:
        return self._opened()

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    def _opened(self) -> PoolManager:
        pool = PoolManager(ssl_context=self._tls, maxsize=_MOST_KEPT)
        limits = CallLimits(ANSWER_SECONDS, 2 * ANSWER_BYTES, CONNECT_SECONDS)
        pool.pool_classes_by_scheme = bounded_pools(self._check_peer, limits)
        return pool

    def _sent(self, pool: PoolManager, method: str, path: str, query: Mapping[str, str] | None, body: bytes) -> _Answer:
        headers = {"Accept-Encoding": "identity", **({"Content-Type": "application/json"} if body else {})}
        headers |= self._auth.headers(Outgoing(method, path, query or {}, body))
        url = f"{self._uri}{path}{f'?{urlencode(query)}' if query else ''}"
        try:
            response = pool.urlopen(
                method,
                url,
                body=body,
                headers=headers,
                redirect=False,
                retries=False,
                preload_content=False,
                decode_content=False,
            )
            try:
                told = response.headers
                return _Answer(response.status, _body(response), told.get("location", ""), told.get("date", ""))
            finally:
                response.close()
        except _NOT_SENT as error:
            raise Away(DependencyKind.CATALOG, f"the catalog at {masked(self._uri)}: {summary_of(error)}") from error
        except Malformed:
            raise
        except ValueError as error:  # of the address or a header; its text may have a secret
            raise StateConflict(
                f"no request can be made of `uri` and the credentials: {type(error).__name__}"
            ) from None
        except (HTTPError, HTTPException, OSError) as error:
            raise RequestUnanswered(
                DependencyKind.CATALOG, f"the catalog at {masked(self._uri)}: {summary_of(error)}"
            ) from error

    def _document(self, answer: _Answer) -> Document:
        status = answer.status
        if 200 <= status < 300:  # noqa: PLR2004
            return Document.parse(answer.body, most_values=_ANSWER_VALUES)
        told, kind = _error_in(answer.body, self._auth.secrets())
        message = f"the catalog at {masked(self._uri)} answers {status}{told}"
        if 300 <= status < 400:  # noqa: PLR2004
            target = _shown(answer.redirect, self._auth.secrets())
            raise Redirected(f"{message}: a redirect to {target!r}, which is not followed; correct `uri`")
        match status:
            case HTTPStatus.UNAUTHORIZED:
                raise StateConflict(f"{message}; {self._auth.remedy(answer.date)}")
            case HTTPStatus.FORBIDDEN:
                raise NotAllowed(f"{message}; {self._auth.remedy(answer.date)}")
            case HTTPStatus.NOT_FOUND:
                raise NoSuch(message, kind=kind)
            case HTTPStatus.METHOD_NOT_ALLOWED | HTTPStatus.NOT_IMPLEMENTED:
                raise NotSupported(message)
            case HTTPStatus.TOO_MANY_REQUESTS:
                raise Away(DependencyKind.CATALOG, message)
            case _ if 400 <= status < 500 and status != HTTPStatus.REQUEST_TIMEOUT:  # noqa: PLR2004
                raise RequestRefused(message)
        raise RequestUnanswered(DependencyKind.CATALOG, message)


def _body(response: BaseHTTPResponse) -> bytes:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise Malformed("the answer is compressed, although it was asked not to be")
    body = bytearray()
    while part := response.read(_CHUNK_BYTES):
        body += part
        if len(body) > ANSWER_BYTES:
            raise too_large("the answer has", "", ANSWER_BYTES)
    return bytes(body)


def _error_in(body: bytes, secrets: Sequence[str]) -> tuple[str, str]:
    """Return the message of an error, with a colon before it, and the type of the object that it is about."""
    try:
        document = Document.parse(body, most_values=_ANSWER_VALUES)
        message, kind = document.optional_text("message"), document.optional_text("resourceType")
    except Malformed:
        return "", ""
    return f": {_shown(message, secrets)}" if message else "", kind or ""


def _shown(text: str, secrets: Sequence[str]) -> str:
    """Return the first characters of a server's text; secrets are masked in case the server repeats them."""
    for each in secrets:
        text = text.replace(each, "***")
    return printable(masked(text[:_LONGEST_MESSAGE]))
