"""Authentication by tokens of an identity provider (OpenID Connect): checked by PyJWT, mapped to role and teams.

Checked are the signature by a key that the provider publishes now, the algorithm (one that the settings name; only
asymmetric ones can be named, so neither `none` nor a public key used as an HMAC secret is accepted), issuer, audience,
expiry and start with some leeway, and that the token is not valid for longer than `max_token_seconds`. Keys are found
by discovery, cached for five minutes, and fetched again when a token names an unknown one, at most every
`_COOLDOWN_SECONDS`.

Tokens are checked in one dedicated thread: a provider that hangs can't use up the threads that other work needs. After
a failure it is not asked again for `_REST_SECONDS`: tokens whose key is not in memory raise `Transient` at once.
"""

import asyncio
import ipaddress
import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.client import HTTPException
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import jwt
import structlog
from jwt import PyJWK, PyJWKClient
from jwt.exceptions import PyJWKClientConnectionError, PyJWTError

from engine.domain.access.callers import Caller, Role
from engine.domain.clock import Clock
from engine.domain.errors import Forbidden, InvalidInput, Transient, Unauthenticated
from engine.services.access.authentication import MAX_TOKEN_CHARACTERS

T = TypeVar("T")

ALGORITHMS: Final = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
)
"""Algorithms that settings may name: each of them verifies by a public key."""

EVERY_TEAM: Final = "*"
_SCOPES: Final = frozenset({"scope", "scp"})
_ANSWER_SECONDS: Final = 5.0
_KEEP_KEYS_SECONDS: Final = 300.0
_COOLDOWN_SECONDS: Final = 10.0
_REST_SECONDS: Final = 5.0
_MAX_SUBJECT_CHARACTERS: Final = 255
_MAX_DOCUMENT_BYTES: Final = 256 * 1024
_MALFORMED: Final = (PyJWTError, ValueError, TypeError, OverflowError, RecursionError)
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class OidcSettings:
    """Which tokens are accepted, and how their claims map to role and teams.

    A claim is found by its whole name, otherwise by the name as a dotted path (`realm_access.roles`). `role_map` maps
    values of the role claim to roles (empty: they are role names); the strongest role wins. `teams_claim` None means
    no team; `teams_map` maps its values to teams, `*` to every team (empty: they are team names).
    `max_token_seconds`: a token that is valid for longer, from `iat` (or now) to `exp`, is refused.
    """

    issuer: str
    audience: str
    algorithms: tuple[str, ...] = ("RS256", "ES256")
    role_claim: str = "roles"
    role_map: Mapping[str, Role] = field(default_factory=dict)
    teams_claim: str | None = None
    teams_map: Mapping[str, str] = field(default_factory=dict)
    leeway_seconds: float = 30.0
    max_token_seconds: float = 86_400.0

    def __post_init__(self) -> None:
        """Refuse unsafe settings.

        Raises:
            InvalidInput: an algorithm is not asymmetric, or an issuer outside of this machine has no https.
        """
        if unsafe := sorted(set(self.algorithms) - ALGORITHMS):
            raise InvalidInput(
                f"PACKHOUSE_OIDC_ALGORITHMS: {', '.join(unsafe)} can't be pinned; "
                f"choose among {', '.join(sorted(ALGORITHMS))}"
            )
        if not self.algorithms:
            raise InvalidInput("PACKHOUSE_OIDC_ALGORITHMS: at least one is needed")
        if not _is_safe(self.issuer):
            raise InvalidInput(f"PACKHOUSE_OIDC_ISSUER: {self.issuer!r} must be an https:// address")


class OidcTokens:
    """Reads tokens of one provider. The provider is first asked when needed, so it may be unavailable at the start."""

    def __init__(self, *, settings: OidcSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._provider = _Provider(issuer=settings.issuer, clock=clock)
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="oidc")

    async def read(self, token: str) -> Caller:
        """Return the caller whom a token identifies.

        Raises:
            Unauthenticated: it is no token of the provider for this audience, or it has expired.
            Forbidden: it is valid, but maps to no role.
            Transient: the provider's keys are needed and it does not answer.
        """
        if len(token) > MAX_TOKEN_CHARACTERS:
            raise Unauthenticated("this is neither an API key nor a token: it is too long")
        kid = _key_id_of(token, self._settings.algorithms)
        try:
            claims = await asyncio.get_running_loop().run_in_executor(self._threads, self._verify, token, kid)
        except PyJWKClientConnectionError as error:
            _log.warning("identity_provider_away", issuer=self._settings.issuer, error=str(error))
            raise Transient("the identity provider did not answer; its tokens can't be checked now") from error
        except _MALFORMED as error:
            raise Unauthenticated(f"the token is refused: {_reason(error)}") from None
        return _caller_of(claims, self._settings, self._clock.now())

    def close(self) -> None:
        """Shut the thread down."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _verify(self, token: str, kid: str) -> Mapping[str, Any]:
        claims: Mapping[str, Any] = jwt.decode(
            token,
            self._provider.signing_key(kid),
            algorithms=list(self._settings.algorithms),
            audience=self._settings.audience,
            issuer=self._settings.issuer,
            leeway=self._settings.leeway_seconds,
            options={"require": ["exp", "iss", "aud", "sub"]},
        )
        return claims


class _Provider:
    """The provider's published keys; used from one thread. Every failure to get them is PyJWT's connection error."""

    def __init__(self, *, issuer: str, clock: Clock) -> None:
        self._issuer = issuer
        self._clock = clock
        self._keys: PyJWKClient | None = None
        self._resting_until = float("-inf")

    def signing_key(self, kid: str) -> PyJWK:
        """Return the key with an id: from memory, otherwise from the provider."""
        if self._keys is None:
            self._keys = _Keys(self, self.ask(lambda: _discover(self._issuer)))
        return self._keys.get_signing_key(kid)

    def ask(self, question: Callable[[], T]) -> T:
        """Ask the provider, unless it failed to answer within the last `_REST_SECONDS`."""
        if self._clock.monotonic() < self._resting_until:
            raise PyJWKClientConnectionError("it did not answer a moment ago")
        try:
            return question()
        except (PyJWTError, OSError, HTTPException, ValueError) as error:
            self._resting_until = self._clock.monotonic() + _REST_SECONDS
            raise PyJWKClientConnectionError(str(error)) from error


class _Keys(PyJWKClient):
    """PyJWT's cache of keys, which fetches through `_Provider.ask`."""

    def __init__(self, provider: _Provider, address: str) -> None:
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


def _key_id_of(token: str, algorithms: tuple[str, ...]) -> str:
    """Return the id of the key that a token names; refuse tokens that need no key for it before asking the provider."""
    try:
        header = jwt.get_unverified_header(token)
    except _MALFORMED:
        raise Unauthenticated("this is neither an API key ('pkh_…') nor a signed token") from None
    if header.get("alg") not in algorithms:
        raise Unauthenticated(f"the token is refused: it is not signed with {' or '.join(algorithms)}")
    kid = header.get("kid")
    if not isinstance(kid, str) or not kid:
        raise Unauthenticated("the token is refused: it names no key (kid)")
    return kid


def _reason(error: Exception) -> str:
    """Return the first line of the library's message; it repeats no part of the token except key ids."""
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


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
    if not _is_safe(address):
        raise ValueError(f"the provider names {address!r} for its keys, which is not an https:// address")
    return address


def _is_safe(url: str) -> bool:
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


def _caller_of(claims: Mapping[str, Any], settings: OidcSettings, now: datetime) -> Caller:
    subject = claims["sub"]
    if not isinstance(subject, str) or not subject.isprintable() or not 0 < len(subject) <= _MAX_SUBJECT_CHARACTERS:
        raise Unauthenticated("the token is refused: its subject can't be one")
    role = _role_of(claims, settings)
    if role is None:
        raise Forbidden(
            f"the token of {subject!r} is valid but maps to no role: its claim {settings.role_claim!r} holds none of "
            f"{', '.join(settings.role_map or Role)}"
        )
    expires_at = _expiry_of(claims, settings, now)
    return Caller(subject=f"oidc:{subject}", role=role, teams=_teams_of(claims, settings), expires_at=expires_at)


def _expiry_of(claims: Mapping[str, Any], settings: OidcSettings, now: datetime) -> datetime:
    """Return the instant from which the token is refused; refuse a token with too long a validity now."""
    try:
        expires_at = datetime.fromtimestamp(int(claims["exp"]), UTC)
        issued_at = datetime.fromtimestamp(int(claims["iat"]), UTC) if "iat" in claims else now
    except (OverflowError, ValueError, OSError):
        raise Unauthenticated("the token is refused: its expiry is beyond the calendar") from None
    seconds = (expires_at - issued_at).total_seconds()
    if seconds > settings.max_token_seconds:
        raise Unauthenticated(
            f"the token is refused: it is valid for {seconds:.0f} s, and at most {settings.max_token_seconds:.0f} "
            "are accepted (PACKHOUSE_OIDC_MAX_TOKEN_SECONDS): configure a shorter lifetime at the provider"
        )
    return expires_at + timedelta(seconds=settings.leeway_seconds)


def _role_of(claims: Mapping[str, Any], settings: OidcSettings) -> Role | None:
    mapping = settings.role_map or {role.value: role for role in Role}
    held = {mapping[value] for value in _values(claims, settings.role_claim) if value in mapping}
    strongest = [role for role in Role if role in held]  # declared from weak to strong
    return strongest[-1] if strongest else None


def _teams_of(claims: Mapping[str, Any], settings: OidcSettings) -> frozenset[str] | None:
    if settings.teams_claim is None:
        return frozenset()
    values = set(_values(claims, settings.teams_claim))
    if not settings.teams_map:
        return frozenset(values)
    teams = {settings.teams_map[value] for value in values if value in settings.teams_map}
    return None if EVERY_TEAM in teams else frozenset(teams)


def _values(claims: Mapping[str, Any], name: str) -> Iterator[str]:
    """Yield the texts of a claim: a single one, those of a list, or the words of a scope."""
    found: Any = claims.get(name)
    if found is None:
        found = claims
        for step in name.split("."):
            found = found.get(step) if isinstance(found, Mapping) else None
    if isinstance(found, str):
        yield from found.split() if name in _SCOPES else [found]
    elif isinstance(found, list):
        yield from (value for value in found if isinstance(value, str))
