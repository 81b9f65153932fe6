"""OAuth tokens of a REST catalog: the client credentials grant (RFC 6749, section 4.4) as one bounded request.

PyIceberg sends the request by an unguarded session, while the guarded one is built: redirects took the client's secret
to other servers, and neither time nor size had a limit. Here the address of the server is checked before the secret is
sent, nothing is followed, and one token serves all sessions of a catalog until shortly before it expires.
"""

import json
import ssl
from collections.abc import Callable, Mapping
from threading import Lock
from time import monotonic
from typing import Any, Final
from urllib.parse import urlencode

from pyiceberg.catalog.rest.auth import LegacyOAuth2AuthManager
from pyiceberg.exceptions import OAuthError

from engine.domain.errors import Away, StateConflict
from engine.domain.fleet.dependencies import DependencyKind
from engine.formats.iceberg.catalog.rest.tls import hint_of, refusal_of
from engine.formats.intake.errors import printable
from engine.outgoing.bounds import CallLimits, CheckPeer
from engine.outgoing.calls import CallFailed, HttpAnswer, NotSent, origin, send
from engine.rewriting.kernel.storage.abandoned import stop_if_abandoned

TOKEN_SECONDS: Final = 15.0
TOKEN_BYTES: Final = 64 * 1024

_EARLY_SECONDS: Final = 60.0
_SHORTEST_SECONDS: Final = 30.0
"""A token serves at least for this time: a server can't make every request ask for another one."""
_LONGEST_SHOWN: Final = 200
_BUSY: Final = (408, 429)


class CatalogTokens(LegacyOAuth2AuthManager):
    """The bearer token of one catalog, from a token server or from the property `token`. Thread-safe.

    PyIceberg asks for a new token after an answer 401 by `_refresh_token`, for this base class only.

    Args:
        url: address of the token server; None without `credential`.
        credential: the client's `id:secret`, or its secret.
        initial_token: the property `token`, which is used without `credential`.
        parameters: `scope`, `audience` and `resource` of the request.
        headers: sent with the request, as the realm of a catalog that is its own token server.
        check_peer: raises for an address of the token server that must not be connected to.
        tls: the settings of TLS with the token server; None for those of the machine.
    """

    def __init__(
        self,
        *,
        url: str | None,
        credential: str | None,
        initial_token: str | None,
        parameters: Mapping[str, str],
        headers: Mapping[str, str],
        check_peer: CheckPeer,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._lock = Lock()
        self._url = url or ""
        self._credential = credential
        self._token = initial_token
        self._parameters = parameters
        self._headers = headers
        self._check_peer = check_peer
        self._tls = tls
        self._valid_until = float("-inf")
        self._failure: tuple[float, Exception] | None = None

    def auth_header(self) -> str | None:  # type: ignore[override] # as `AuthManager`'s, whose adapter sends none
        """Return the header of a request, None without a token and a credential; may ask the token server first.

        Raises:
            OAuthError: it refuses the client.
            StateConflict: it is not a token server, redirects, or does not agree on TLS.
            Away: it does not answer within `TOKEN_SECONDS`. Exception: of `check_peer`.
        """
        if self._credential is not None and monotonic() >= self._valid_until:
            self._ask_once(self._credential, lambda: monotonic() < self._valid_until)
        return None if self._token is None else f"Bearer {self._token}"

    def _refresh_token(self) -> None:
        """Get another token after the catalog refused this one, unless it was given just now."""
        if self._credential is None:
            return
        refused = self._token
        self._ask_once(self._credential, lambda: self._token != refused)

    def _ask_once(self, credential: str, is_there: Callable[[], bool]) -> None:
        """Ask the token server, once for all threads that wait for its answer, and for as long as one is awaited."""
        came_at = monotonic()
        with self._lock:
            stop_if_abandoned()
            if is_there():
                return
            if self._failure is not None and self._failure[0] >= came_at:
                raise self._failure[1].with_traceback(None)
            try:
                self._ask(credential)
            except Exception as error:
                self._failure = monotonic(), error
                raise
            self._failure = None

    def _ask(self, credential: str) -> None:
        client, colon, secret = credential.partition(":")
        given = {"client_id": client, "client_secret": secret} if colon else {"client_secret": credential}
        form = urlencode({"grant_type": "client_credentials", **given, **self._parameters}).encode()
        headers = {**self._headers, "Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        limits = CallLimits(TOKEN_SECONDS, TOKEN_BYTES, min(TOKEN_SECONDS, 10.0))
        try:
            answer = send(
                "POST",
                self._url,
                limits=limits,
                headers=headers,
                body=form,
                check_peer=self._check_peer,
                by_proxy=True,
                tls=self._tls,
            )
        except CallFailed as error:
            if (refusal := refusal_of(error, self._url)) is not None:
                raise refusal from error
            hint = "; if that server runs, check `oauth2-server-uri`" if isinstance(error, NotSent) else ""
            message = f"the token server at {error}{hint_of(error, self._url) or hint}"
            raise Away(DependencyKind.CATALOG, message) from error
        document = self._granted(answer, given["client_secret"])
        self._token, seconds = document["access_token"], document.get("expires_in")
        if not isinstance(seconds, int | float) or isinstance(seconds, bool):
            self._valid_until = float("inf")  # until the catalog refuses it
        else:
            self._valid_until = monotonic() + max(seconds - _EARLY_SECONDS, _SHORTEST_SECONDS)

    def _granted(self, answer: HttpAnswer, secret: str) -> Mapping[str, Any]:
        """Return the server's document with a token that can be sent; raises as `auth_header`."""
        server = f"the token server at {origin(self._url)}"
        if answer.redirect is not None:
            raise StateConflict(f"{server} redirects, which is not followed: correct `oauth2-server-uri`")
        document = _document(answer.body)
        if answer.status in _BUSY or answer.status >= 500:  # noqa: PLR2004
            raise Away(DependencyKind.CATALOG, f"{server} answers {answer.status}")
        if answer.status != 200:  # noqa: PLR2004
            told = ", ".join(str(document[name]) for name in ("error", "error_description") if name in document)
            shown = printable(told.replace(secret, "***")[:_LONGEST_SHOWN])
            raise OAuthError(f"{server} answers {answer.status}{f': {shown}' if shown else ''}; check `credential`")
        token = document.get("access_token")
        if not isinstance(token, str) or not token.isascii() or not token.isprintable() or not token or " " in token:
            raise StateConflict(f"{server} gave no access_token: check `oauth2-server-uri`")
        return document


def _document(body: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
