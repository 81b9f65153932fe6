"""Signing keys that an identity provider publishes (OpenID Connect Discovery 1.0).

Keys are found by discovery, cached for five minutes, and fetched again when a token names an unknown one, at most every
`_COOLDOWN_SECONDS`. After a failure the provider is not asked again for `_REST_SECONDS`. Every call may block for
`_ANSWER_SECONDS`: call in a thread.
"""

import ipaddress
import json
from collections.abc import Callable
from http.client import HTTPException
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import structlog
from jwt import PyJWK, PyJWKClient
from jwt.exceptions import PyJWKClientConnectionError, PyJWTError

from engine.domain.clock import Clock
from engine.domain.errors import Transient

T = TypeVar("T")

_ANSWER_SECONDS: Final = 5.0
_KEEP_KEYS_SECONDS: Final = 300.0
_COOLDOWN_SECONDS: Final = 10.0
_REST_SECONDS: Final = 5.0
_MAX_DOCUMENT_BYTES: Final = 256 * 1024
_log = structlog.get_logger(__name__)


class IdentityProvider:
    """The provider's published keys. Used from one thread; first asked when needed."""

    def __init__(self, *, issuer: str, clock: Clock) -> None:
        self._issuer = issuer
        self._clock = clock
        self._keys: PyJWKClient | None = None
        self._resting_until = float("-inf")

    def signing_key(self, kid: str) -> PyJWK:
        """Return the key with an id: from memory, otherwise from the provider.

        Raises:
            Transient: the key is not in memory and the provider does not answer.
            PyJWTError: the provider publishes no such key.
        """
        try:
            if self._keys is None:
                self._keys = _Keys(self, self.ask(lambda: _discover(self._issuer)))
            return self._keys.get_signing_key(kid)
        except PyJWKClientConnectionError as error:
            _log.warning("identity_provider_away", issuer=self._issuer, error=str(error))
            raise Transient("the identity provider did not answer; its tokens can't be checked now") from error

    def ask(self, question: Callable[[], T]) -> T:
        """Ask the provider, unless it failed to answer within the last `_REST_SECONDS`.

        Raises:
            PyJWKClientConnectionError: it is not asked now, or there is no usable answer.
        """
        if self._clock.monotonic() < self._resting_until:
            raise PyJWKClientConnectionError("it did not answer a moment ago")
        try:
            return question()
        except (PyJWTError, OSError, HTTPException, ValueError) as error:
            self._resting_until = self._clock.monotonic() + _REST_SECONDS
            raise PyJWKClientConnectionError(str(error)) from error


class _Keys(PyJWKClient):
    """PyJWT's cache of keys, which fetches through `IdentityProvider.ask`."""

    def __init__(self, provider: IdentityProvider, address: str) -> None:
        super().__init__(
            address, lifespan=_KEEP_KEYS_SECONDS, timeout=_ANSWER_SECONDS, cooldown_duration=_COOLDOWN_SECONDS
        )
        self._provider = provider

    def fetch_data(self) -> Any:
        """Return the published key set."""
        return self._provider.ask(super().fetch_data)


class _NoRedirects(HTTPRedirectHandler):
    """Opener that follows no redirects: the provider could redirect to any address."""

    def redirect_request(self, *_arguments: Any, **_named: Any) -> None:
        """Refuse the redirect."""


def is_safe_address(url: str) -> bool:
    """Return True for https, and for http on this machine."""
    parts = urlsplit(url)
    return bool(parts.hostname) and (
        parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(parts.hostname))
    )


def _is_loopback(host: str | None) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False


def _discover(issuer: str) -> str:
    """Return the address at which the provider publishes its keys (OpenID Connect Discovery 1.0, section 4)."""
    opener = build_opener(_NoRedirects())
    address = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    with opener.open(Request(address), timeout=_ANSWER_SECONDS) as answer:  # noqa: S310 - its scheme was checked with the settings
        document = json.loads(answer.read(_MAX_DOCUMENT_BYTES))
    found = document.get("issuer") if isinstance(document, dict) else None
    if found != issuer:
        raise ValueError(f"{address} speaks for the issuer {found!r}, not for {issuer!r}")
    address = str(document.get("jwks_uri"))
    if not is_safe_address(address):
        raise ValueError(f"the provider names {address!r} for its keys, which is not an https:// address")
    return address
