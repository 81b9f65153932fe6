"""Signing keys and endpoints that an identity provider publishes (OpenID Connect Discovery 1.0).

Keys are answered from memory. They are fetched again in the background once they are `_KEEP_SECONDS` old, and when a
token names an unknown one, at most every `_COOLDOWN_SECONDS`; after a failure not for `_REST_SECONDS`. Keys in memory
hold for `_TRUST_SECONDS` while the provider does not answer. Every answer is bounded in time and size
(`engine.outgoing`): a fetch takes at most three times `_ANSWER_SECONDS` for each of its two answers.
"""

import ipaddress
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

import structlog
from jwt import PyJWK, PyJWKSet
from jwt.exceptions import PyJWKClientError, PyJWTError

from engine.domain.clock import Clock
from engine.domain.errors import Transient
from engine.outgoing.bounds import CallLimits
from engine.outgoing.calls import origin, send

_ANSWER_SECONDS: Final = 5.0
_KEEP_SECONDS: Final = 300.0
_TRUST_SECONDS: Final = 3600.0
_COOLDOWN_SECONDS: Final = 10.0
_REST_SECONDS: Final = 5.0
_MAX_DOCUMENT_BYTES: Final = 256 * 1024
_NEVER: Final = float("-inf")
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Addresses that a provider publishes. Those for signing in are None if they are missing or not `https://`."""

    keys: str
    authorization: str | None
    token: str | None


@dataclass(frozen=True, slots=True)
class _Published:
    """The keys of a provider by id, and when they were fetched by the monotonic clock."""

    keys: Mapping[str, PyJWK]
    at: float


class IdentityProvider:
    """The provider's published keys and endpoints, first asked when needed.

    `refresh` and `discover` block, and are called by one thread at a time; the others answer from memory.
    `known_endpoints`: None until the provider has answered.
    """

    def __init__(self, *, issuer: str, clock: Clock) -> None:
        self._issuer = issuer
        self._clock = clock
        self._published = _Published({}, _NEVER)
        self.known_endpoints: Endpoints | None = None
        self._resting_until = _NEVER

    def known_key(self, kid: str) -> PyJWK | None:
        """Return the key with an id from memory, None if it is not there."""
        age = self._age()
        return self._published.keys.get(kid) if age <= _TRUST_SECONDS else None

    def is_stale(self) -> bool:
        """Return whether the keys in memory should be fetched again, and the provider may be asked."""
        return self._age() > _KEEP_SECONDS and not self._is_resting()

    def may_have_another_key(self) -> bool:
        """Return whether an unknown key id is a reason to ask the provider: its keys are not those of a moment ago."""
        return self._age() >= _COOLDOWN_SECONDS

    def refresh(self) -> None:
        """Fetch the published keys; blocks.

        Raises:
            Transient: the provider does not answer, or did not within the last `_REST_SECONDS`. Known keys stay.
        """
        endpoints = self.discover()
        try:
            keys = _keys_of(_document(endpoints.keys))
        except (PyJWTError, OSError, ValueError, TypeError, RecursionError) as error:
            self.known_endpoints = None  # they may have moved
            raise self._away(error, "its tokens can't be checked now") from error
        self._published = _Published(keys, self._clock.monotonic())

    def discover(self) -> Endpoints:
        """Return the provider's endpoints: from memory, otherwise from the provider; blocks.

        Raises:
            Transient: they are not in memory and the provider does not answer.
        """
        if self._is_resting():
            raise Transient("the identity provider did not answer a moment ago; try again in a few seconds")
        if self.known_endpoints is None:
            try:
                self.known_endpoints = _discovered(self._issuer)
            except (OSError, ValueError, RecursionError) as error:
                raise self._away(error, "its endpoints are not known yet") from error
        return self.known_endpoints

    def _age(self) -> float:
        return self._clock.monotonic() - self._published.at

    def _is_resting(self) -> bool:
        return self._clock.monotonic() < self._resting_until

    def _away(self, error: Exception, consequence: str) -> Transient:
        self._resting_until = self._clock.monotonic() + _REST_SECONDS
        _log.warning("identity_provider_away", issuer=self._issuer, error=str(error)[:300])
        return Transient(f"the identity provider at {origin(self._issuer)} did not answer; {consequence}")


def _keys_of(document: Mapping[str, Any]) -> Mapping[str, PyJWK]:
    """Return the keys for signatures in a key set (RFC 7517, section 5); those of unknown kinds are left out."""
    found = PyJWKSet.from_dict(dict(document)).keys
    keys = {key.key_id: key for key in found if key.public_key_use in ("sig", None) and key.key_id}
    if not keys:
        raise PyJWKClientError("it publishes no key for signatures with an id")
    return keys


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


def _discovered(issuer: str) -> Endpoints:
    """Return the addresses that the provider publishes (OpenID Connect Discovery 1.0, section 4)."""
    address = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    document = _document(address)
    if (found := document.get("issuer")) != issuer:
        raise ValueError(f"{address} speaks for the issuer {str(found)[:200]!r}, not for {issuer!r}")
    keys = str(document.get("jwks_uri"))
    if not is_safe_address(keys):
        raise ValueError(f"the provider names {keys[:200]!r} for its keys, which is not an https:// address")
    return Endpoints(keys, _safe(document, "authorization_endpoint"), _safe(document, "token_endpoint"))


def _document(address: str) -> Mapping[str, Any]:
    """Return a JSON object of the provider. Raises OSError, ValueError, RecursionError."""
    limits = CallLimits(_ANSWER_SECONDS, _MAX_DOCUMENT_BYTES, _ANSWER_SECONDS)
    answer = send("GET", address, limits=limits, by_proxy=True)
    if answer.status != 200:  # noqa: PLR2004 - redirects are not followed: they could lead to any address
        raise ValueError(f"{address} answers {answer.status}")
    document = json.loads(answer.body)
    if not isinstance(document, dict):
        raise ValueError(f"{address} answers with no JSON object")  # noqa: TRY004 - of the answer, not of a caller
    return document


def _safe(document: Mapping[str, Any], name: str) -> str | None:
    """Return a published address if a browser may be sent to it."""
    address = document.get(name)
    return address if isinstance(address, str) and is_safe_address(address) else None
