"""Authentication by tokens of an identity provider (OpenID Connect): checked by PyJWT, mapped to role and teams.

Checked are the signature by a key that the provider publishes now, the algorithm (one that the settings name; only
asymmetric ones can be named, so neither `none` nor a public key used as an HMAC secret is accepted), issuer, audience,
expiry and start with some leeway, and that the token is not valid for longer than `max_token_seconds`. The keys come
from `identity.provider`.

The provider is asked in one dedicated thread, by one call at a time that all waiting tokens share: a provider that
hangs can't use up the threads that other work needs, and tokens whose key is known do not wait for it.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import jwt
from jwt import PyJWK
from jwt.exceptions import PyJWTError

from engine.domain.access.callers import Caller, Role
from engine.domain.access.sign_in import SignInProvider
from engine.domain.clock import Clock
from engine.domain.errors import Forbidden, InvalidInput, Transient, Unauthenticated
from engine.identity.provider import IdentityProvider, is_safe_address
from engine.services.access.authentication import MAX_TOKEN_CHARACTERS

ALGORITHMS: Final = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
)
"""Algorithms that settings may name: each of them verifies by a public key."""

EVERY_TEAM: Final = "*"
_SCOPES: Final = frozenset({"scope", "scp"})
_MAX_SUBJECT_CHARACTERS: Final = 255
_MALFORMED: Final = (PyJWTError, ValueError, TypeError, OverflowError, RecursionError)


@dataclass(frozen=True, slots=True)
class OidcSettings:
    """Rules for accepted tokens, and the mapping of their claims to role and teams.

    A claim is found by its whole name, otherwise by the name as a dotted path (`realm_access.roles`). `role_map` maps
    values of the role claim to roles (empty: they are role names); the strongest role wins. `teams_claim` None means
    no team; `teams_map` maps its values to teams, `*` to every team (empty: they are team names).
    `name` tells the subjects of several providers apart; empty for the first one.
    `max_token_seconds`: a token that is valid for longer, from `iat` (or now) to `exp`, is refused.
    `console_client_id` is the public client as which browsers sign in with `console_scopes`; None: they can't.
    """

    issuer: str
    audience: str
    name: str = ""
    algorithms: tuple[str, ...] = ("RS256", "ES256")
    role_claim: str = "roles"
    role_map: Mapping[str, Role] = field(default_factory=dict)
    teams_claim: str | None = None
    teams_map: Mapping[str, str] = field(default_factory=dict)
    leeway_seconds: float = 30.0
    max_token_seconds: float = 86_400.0
    console_client_id: str | None = None
    console_scopes: tuple[str, ...] = ("openid",)

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
        if not is_safe_address(self.issuer):
            setting = f"PACKHOUSE_OIDC_MORE_ISSUERS: {self.name}" if self.name else "PACKHOUSE_OIDC_ISSUER"
            raise InvalidInput(f"{setting}: {self.issuer!r} must be an https:// address")


class OidcTokens:
    """Reads tokens of one provider. The provider is first asked when needed, so it may be unavailable at the start."""

    def __init__(self, *, settings: OidcSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._provider = IdentityProvider(issuer=settings.issuer, clock=clock)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="oidc")
        self._asking: dict[Callable[[], object], asyncio.Future[Any]] = {}

    async def read(self, token: str) -> Caller:
        """Return the caller whom a token identifies.

        Raises:
            Unauthenticated: it is not a token of the provider for this audience, or it has expired.
            Forbidden: it is valid, but maps to no role.
            Transient: the provider's keys are needed and it does not answer.
        """
        if len(token) > MAX_TOKEN_CHARACTERS:
            raise Unauthenticated("this is neither an API key nor a token: it is too long")
        kid = _key_id_of(token, self._settings.algorithms)
        try:
            claims = await asyncio.to_thread(self._verify, token, await self._key(kid))
        except _MALFORMED as error:
            raise Unauthenticated(f"the token is refused: {_reason(error)}") from None
        return _caller_of(claims, self._settings, self._clock.now())

    async def sign_in(self) -> SignInProvider | None:
        """Return how browsers sign in, None if no client of the console is configured."""
        client_id = self._settings.console_client_id
        if client_id is None:
            return None
        endpoints = self._provider.known_endpoints
        if endpoints is None:
            with suppress(Transient):
                await asyncio.shield(self._ask(self._provider.discover))
                endpoints = self._provider.known_endpoints
        return SignInProvider(
            issuer=self._settings.issuer,
            client_id=client_id,
            scopes=self._settings.console_scopes,
            authorization_endpoint=None if endpoints is None else endpoints.authorization,
            token_endpoint=None if endpoints is None else endpoints.token,
        )

    def close(self) -> None:
        """Shut the thread down."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _key(self, kid: str) -> PyJWK:
        """Return a published key; asks the provider only for an unknown one, otherwise in the background.

        Raises:
            Unauthenticated: the provider publishes no such key.
            Transient: the key is unknown and the provider does not answer.
        """
        key = self._provider.known_key(kid)
        if key is not None:
            if self._provider.is_stale():
                self._ask(self._provider.refresh)
            return key
        if self._provider.may_have_another_key():
            await asyncio.shield(self._ask(self._provider.refresh))
            key = self._provider.known_key(kid)
        if key is None:
            raise Unauthenticated(
                "the token is refused: the provider publishes no signing key with the id that it names (kid)"
            )
        return key

    def _ask(self, question: Callable[[], object]) -> "asyncio.Future[Any]":
        """Return the call to the provider with this question that is under way, otherwise begin one."""
        asking = self._asking.get(question)
        if asking is None or asking.done():
            asking = self._asking[question] = asyncio.get_running_loop().run_in_executor(self._thread, question)
            asking.add_done_callback(lambda done: done.cancelled() or done.exception())  # the provider logs it
        return asking

    def _verify(self, token: str, key: PyJWK) -> Mapping[str, Any]:
        claims: Mapping[str, Any] = jwt.decode(
            token,
            key,
            algorithms=list(self._settings.algorithms),
            audience=self._settings.audience,
            issuer=self._settings.issuer,
            leeway=self._settings.leeway_seconds,
            options={"require": ["exp", "iss", "aud", "sub"]},
        )
        return claims


class SeveralIssuers:
    """Reads tokens of several providers, each by the provider that it names. People sign in with the first one.

    The issuer is read from the token before its signature is checked; the provider's reader then checks both, and the
    first provider's refuses tokens that name none of them.
    """

    def __init__(self, *, first: OidcTokens, others: Mapping[str, OidcTokens]) -> None:
        self._first = first
        self._others = others

    async def read(self, token: str) -> Caller:
        """Return the caller whom a token identifies. Raises as `OidcTokens.read`."""
        return await self._others.get(_issuer_of(token), self._first).read(token)

    async def sign_in(self) -> SignInProvider | None:
        """Return how browsers sign in, None if no client of the console is configured."""
        return await self._first.sign_in()

    def close(self) -> None:
        """Shut the threads down."""
        for reader in (self._first, *self._others.values()):
            reader.close()


def _issuer_of(token: str) -> str:
    """Return the issuer that a token names, unchecked; empty without one."""
    if len(token) > MAX_TOKEN_CHARACTERS:
        return ""
    try:
        issuer = jwt.decode(token, options={"verify_signature": False}).get("iss")
    except _MALFORMED:
        return ""
    return issuer if isinstance(issuer, str) else ""


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
    provider = f"oidc/{settings.name}" if settings.name else "oidc"
    return Caller(subject=f"{provider}:{subject}", role=role, teams=_teams_of(claims, settings), expires_at=expires_at)


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
