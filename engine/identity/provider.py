"""Signing keys and endpoints that an identity provider publishes (OpenID Connect Discovery 1.0).

Discovery is read once. Keys are cached for five minutes, and fetched again when a token names an unknown one, at most
every `_COOLDOWN_SECONDS`. After a failure the provider is not asked again for `_REST_SECONDS`. Every call may block
for `_ANSWER_SECONDS`: call in a thread.
"""

import ipaddress
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Addresses that a provider publishes. Those for signing in are None if they are missing or not `https://`."""

    keys: str
    authorization: str | None
    token: str | None


class IdentityProvider:
    """The provider's published keys and endpoints. Used from one thread; first asked when needed.

    `known_endpoints` may be read from any thread: None until the provider has answered.
    """

    def __init__(self, *, issuer: str, clock: Clock) -> None:
        self._issuer = issuer
        self._clock = clock
        self._keys: PyJWKClient | None = None
        self.known_endpoints: Endpoints | None = None
        self._resting_until = float("-inf")

    def signing_key(self, kid: str) -> PyJWK:
        """Return the key with an id: from memory, otherwise from the provider.

        Raises:
            Transient: the key is not in memory and the provider does not answer.
            PyJWTError: the provider publishes no such key.
        """
        try:
            if self._keys is None:
                self._keys = _Keys(self, self._discovered().keys)
            return self._keys.get_signing_key(kid)
        except PyJWKClientConnectionError as error:
            raise self._away(error, "its tokens can't be checked now") from error

    def endpoints(self) -> Endpoints:
        """Return the provider's endpoints: from memory, otherwise from the provider.

        Raises:
            Transient: they are not in memory and the provider does not answer.
        """
        try:
            return self._discovered()
        except PyJWKClientConnectionError as error:
            raise self._away(error, "its endpoints are not known yet") from error

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

    def _discovered(self) -> Endpoints:
        if self.known_endpoints is None:
            self.known_endpoints = self.ask(lambda: _discover(self._issuer))
        return self.known_endpoints

    def _away(self, error: PyJWKClientConnectionError, consequence: str) -> Transient:
        _log.warning("identity_provider_away", issuer=self._issuer, error=str(error))
        return Transient(f"the identity provider did not answer; {consequence}")


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
    """Return True for https, and for http on this machine; False for a malformed address."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
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


def _discover(issuer: str) -> Endpoints:
    """Return the addresses that the provider publishes (OpenID Connect Discovery 1.0, section 4)."""
    opener = build_opener(_NoRedirects())
    address = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    with opener.open(Request(address), timeout=_ANSWER_SECONDS) as answer:  # noqa: S310 - its scheme was checked with the settings
        document = json.loads(answer.read(_MAX_DOCUMENT_BYTES))
    found = document.get("issuer") if isinstance(document, dict) else None
    if not isinstance(document, dict) or found != issuer:
        raise ValueError(f"{address} speaks for the issuer {found!r}, not for {issuer!r}")
    address = str(document.get("jwks_uri"))
    if not is_safe_address(address):
        raise ValueError(f"the provider names {address!r} for its keys, which is not an https:// address")
    return Endpoints(address, _safe(document, "authorization_endpoint"), _safe(document, "token_endpoint"))


def _safe(document: Mapping[str, Any], name: str) -> str | None:
    """Return a published address if a browser may be sent to it."""
    address = document.get(name)
    return address if isinstance(address, str) and is_safe_address(address) else None
