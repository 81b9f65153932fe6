"""Tokens of an identity provider: what is taken, what is refused, and what happens while it is away."""

import asyncio
import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
import pytest

from engine.domain.access.callers import Caller, Role
from engine.domain.errors import Forbidden, InvalidInput, Transient, Unauthenticated
from engine.services.access.oidc import OidcSettings, OidcTokens, SeveralIssuers
from tests.support.eventually import seen_when, until
from tests.support.fake_clock import FakeClock
from tests.support.oidc_issuer import AUDIENCE, OidcIssuer, oidc_issuer

DISCOVERY = "/.well-known/openid-configuration"


@pytest.fixture
def issuer() -> Iterator[OidcIssuer]:
    with oidc_issuer() as running:
        yield running


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def tokens(issuer: OidcIssuer, clock: FakeClock) -> Iterator[OidcTokens]:
    reading = reader(issuer, clock)
    yield reading
    reading.close()


def reader(issuer: OidcIssuer, clock: FakeClock, **settings: Any) -> OidcTokens:
    return OidcTokens(settings=OidcSettings(issuer=issuer.url, audience=AUDIENCE, **settings), clock=clock)


def unsigned(issuer: OidcIssuer) -> str:
    return jwt.encode(issuer.claims(), None, "none", headers={"kid": "first"})  # type: ignore[arg-type]


def signed_with_the_public_key(issuer: OidcIssuer) -> str:
    """The confusion of algorithms: the public key is taken for an HMAC secret."""

    def encoded(document: dict[str, Any]) -> bytes:
        return base64.urlsafe_b64encode(json.dumps(document).encode()).rstrip(b"=")

    signed = encoded({"alg": "HS256", "typ": "JWT", "kid": "first"}) + b"." + encoded(issuer.claims())
    digest = hmac.new(issuer.public_pem(), signed, hashlib.sha256).digest()
    return (signed + b"." + base64.urlsafe_b64encode(digest).rstrip(b"=")).decode()


async def test_a_good_token_is_a_caller_also_with_a_key_of_a_curve_and_within_the_leeway(
    issuer: OidcIssuer, tokens: OidcTokens
) -> None:
    issuer.add_key("curve", curve=True)
    expiry = int(time.time()) + 300
    expires_at = datetime.fromtimestamp(expiry, UTC) + timedelta(seconds=30)
    caller = await tokens.read(issuer.token(exp=expiry))
    assert caller == Caller("oidc:u-17", Role.VIEWER, frozenset(), expires_at=expires_at)
    now = int(time.time())
    await tokens.read(issuer.token(exp=now - 10))
    await tokens.read(issuer.token(nbf=now + 10, iat=now + 10))
    assert (await tokens.read(issuer.token("curve"))).subject == "oidc:u-17"


async def test_an_expiry_that_no_calendar_has_is_refused(issuer: OidcIssuer, tokens: OidcTokens) -> None:
    for expiry in (10**12, 10**30, -1, "soon", 1.5e300, float("inf"), float("nan"), [1], {}, True):
        with pytest.raises(Unauthenticated):
            await tokens.read(issuer.token(exp=expiry))


async def test_garbage_and_a_forged_algorithm_are_refused_before_the_provider_is_asked(
    issuer: OidcIssuer, tokens: OidcTokens
) -> None:
    for forged in (unsigned(issuer), signed_with_the_public_key(issuer)):
        with pytest.raises(Unauthenticated, match="not signed with"):
            await tokens.read(forged)
    deep = f"{base64.b64encode(b'[' * 9000).decode()}.e30.x"
    for garbage in ("", "x", "a.b.c", "e30.e30.e30", "é" * 10, "x" * 20_000, "\ud800.a.b", deep):
        with pytest.raises(Unauthenticated):
            await tokens.read(garbage)
    assert issuer.requests == []


async def test_an_algorithm_that_is_not_pinned_is_refused(issuer: OidcIssuer, clock: FakeClock) -> None:
    tokens = reader(issuer, clock, algorithms=("ES256",))
    with pytest.raises(Unauthenticated, match="not signed with ES256"):
        await tokens.read(issuer.token())
    tokens.close()


async def test_a_token_with_a_wrong_claim_is_refused(issuer: OidcIssuer, tokens: OidcTokens) -> None:
    for changes, reason in (
        ({"exp": int(time.time()) - 60}, "expired"),
        ({"exp": None}, "exp"),
        ({"nbf": int(time.time()) + 3600}, "not yet valid"),
        ({"aud": "another service"}, "[Aa]udience"),
        ({"aud": None}, "aud"),
        ({"iss": "https://elsewhere.example"}, "[Ii]ssuer"),
        ({"iss": None}, "iss"),
        ({"sub": None}, "sub"),
        ({"sub": ""}, "subject"),
        ({"sub": "a\nb"}, "subject"),
        ({"sub": "x" * 300}, "subject"),
    ):
        with pytest.raises(Unauthenticated, match=reason):
            await tokens.read(issuer.token(**changes))


async def test_a_token_that_is_valid_for_longer_than_a_setting_allows_is_refused(
    issuer: OidcIssuer, tokens: OidcTokens, clock: FakeClock
) -> None:
    now = int(time.time())
    for issued in (now, None):
        with pytest.raises(Unauthenticated, match="at most 86400 are accepted"):
            await tokens.read(issuer.token(exp=now + 86_500, iat=issued))
    strict = reader(issuer, clock, max_token_seconds=60)
    with pytest.raises(Unauthenticated, match="valid for 300 s"):
        await strict.read(issuer.token())
    await strict.read(issuer.token(iat=now, exp=now + 60))
    strict.close()


async def test_a_token_that_was_altered_or_signed_by_another_key_is_refused(issuer: OidcIssuer, tokens: OidcTokens):
    header, _, signature = issuer.token().split(".")
    _, body, _ = issuer.token(roles=["admin"]).split(".")
    with oidc_issuer() as stranger:
        foreign = stranger.token(iss=issuer.url)
    for token, reason in (
        (f"{header}.{body}.{signature}", r"[Ss]ignature"),
        (foreign, r"[Ss]ignature"),
        (issuer.token(header={"kid": ""}), "kid"),
        (issuer.token(header={"kid": "nobody's"}), "signing key"),
    ):
        with pytest.raises(Unauthenticated, match=reason):
            await tokens.read(token)


async def test_unknown_keys_do_not_make_us_hammer_the_provider(issuer: OidcIssuer, tokens: OidcTokens) -> None:
    for number in range(5):
        with pytest.raises(Unauthenticated):
            await tokens.read(issuer.token(header={"kid": f"guess {number}"}))
    assert issuer.requests.count("/keys") == 1


async def test_a_rotated_key_is_found(issuer: OidcIssuer, tokens: OidcTokens, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.identity.provider._COOLDOWN_SECONDS", 0.0)
    await tokens.read(issuer.token())
    old = issuer.token()
    issuer.add_key("second")
    issuer.remove_key("first")
    assert (await tokens.read(issuer.token("second"))).subject == "oidc:u-17"
    with pytest.raises(Unauthenticated):
        await tokens.read(old)


async def test_f59_a_slow_provider_does_not_stop_tokens_whose_key_is_known(
    issuer: OidcIssuer, tokens: OidcTokens, clock: FakeClock
) -> None:
    """A provider that hangs holds the tokens that need it, and one call of ours."""
    await tokens.read(issuer.token())
    issuer.gate.clear()
    clock.advance(60)
    unknown = [asyncio.create_task(tokens.read(issuer.token(header={"kid": f"guess {n}"}))) for n in range(20)]
    await keys_asked_for(issuer, 2)
    async with asyncio.timeout(2):
        assert (await tokens.read(issuer.token())).subject == "oidc:u-17"
    issuer.gate.set()
    refused = await asyncio.gather(*unknown, return_exceptions=True)
    assert {type(each) for each in refused} == {Unauthenticated}
    assert issuer.requests.count("/keys") == 2


async def test_f59_a_token_that_comes_while_the_endpoints_are_asked_for_waits_for_the_keys(
    issuer: OidcIssuer, clock: FakeClock
) -> None:
    """As when a browser opens the console at the same time: the answer to its question has no keys."""
    tokens = reader(issuer, clock, console_client_id="console")
    issuer.gate.clear()
    opened = asyncio.create_task(tokens.sign_in())
    read = asyncio.create_task(tokens.read(issuer.token()))
    await until(lambda: issuer.requests == [DISCOVERY])
    issuer.gate.set()
    assert (await read).subject == "oidc:u-17"
    assert await opened is not None
    tokens.close()


async def test_f59_keys_are_fetched_again_in_the_background_and_trusted_for_an_hour(
    issuer: OidcIssuer, tokens: OidcTokens, clock: FakeClock
) -> None:
    token = issuer.token()
    await tokens.read(token)
    issuer.is_away = True
    clock.advance(301)
    await tokens.read(token)
    await keys_asked_for(issuer, 2)  # in vain
    clock.advance(3300)
    with pytest.raises(Transient, match="did not answer"):
        await tokens.read(token)
    issuer.is_away = False
    clock.advance(5)
    await tokens.read(token)


async def test_a_key_that_is_withdrawn_or_replaced_under_its_id_is_refused_after_the_next_fetch(
    issuer: OidcIssuer, tokens: OidcTokens, clock: FakeClock
) -> None:
    old = issuer.token()
    await tokens.read(old)
    issuer.add_key("first")  # another key of the same id
    clock.advance(301)
    await tokens.read(old)  # by the keys in memory, while the new ones are fetched
    await keys_asked_for(issuer, 2)
    await seen_when(lambda: is_refused(tokens, old), within_seconds=10)
    await tokens.read(issuer.token())


async def test_a_provider_that_moves_its_keys_is_asked_where_they_are(
    issuer: OidcIssuer, tokens: OidcTokens, clock: FakeClock
) -> None:
    await tokens.read(issuer.token())
    issuer.stated_keys_url = f"{issuer.url}/new-keys"
    issuer.add_key("second")
    clock.advance(60)
    with pytest.raises(Transient):
        await tokens.read(issuer.token("second"))  # the old address has none
    clock.advance(5)
    await tokens.read(issuer.token("second"))
    assert issuer.requests == [DISCOVERY, "/keys", "/keys", DISCOVERY, "/new-keys"]


async def keys_asked_for(issuer: OidcIssuer, count: int) -> None:
    await until(lambda: issuer.requests.count("/keys") == count)


async def is_refused(tokens: OidcTokens, token: str) -> bool:
    try:
        await tokens.read(token)
    except Unauthenticated:
        return True
    return False


async def test_while_the_provider_is_away_tokens_wait(issuer: OidcIssuer, tokens: OidcTokens, clock: FakeClock) -> None:
    issuer.is_away = True
    for _ in range(3):
        with pytest.raises(Transient, match="did not answer"):
            await tokens.read(issuer.token())
    assert issuer.requests == [DISCOVERY]  # it is left in peace for a while
    issuer.is_away = False
    clock.advance(5)
    await tokens.read(issuer.token())


async def test_the_provider_is_asked_once_for_many_tokens_and_may_then_be_away(issuer: OidcIssuer, tokens: OidcTokens):
    for _ in range(5):
        await tokens.read(issuer.token())
    assert issuer.requests == [DISCOVERY, "/keys"]
    issuer.is_away = True
    await tokens.read(issuer.token())


async def test_a_provider_that_publishes_no_keys_counts_as_away(issuer: OidcIssuer, clock: FakeClock) -> None:
    for body in (b"no json", b"[]", b'{"keys": []}', b'{"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}'):
        issuer.keys_body = body
        tokens = reader(issuer, clock)
        with pytest.raises((Transient, Unauthenticated)):
            await tokens.read(issuer.token())
        tokens.close()


async def test_discovery_must_speak_for_the_issuer(issuer: OidcIssuer, tokens: OidcTokens) -> None:
    issuer.stated_issuer = "https://elsewhere.example"
    with pytest.raises(Transient):
        await tokens.read(issuer.token())


async def test_keys_are_fetched_by_https_only(issuer: OidcIssuer, clock: FakeClock) -> None:
    for url in ("http://elsewhere.example/keys", "file:///etc/passwd", "ftp://x/keys", "None"):
        issuer.stated_keys_url = url
        tokens = reader(issuer, clock)
        with pytest.raises(Transient):
            await tokens.read(issuer.token())
        tokens.close()
    assert issuer.requests == [DISCOVERY] * 4


async def test_the_strongest_role_counts_and_a_token_without_one_is_forbidden(issuer: OidcIssuer, tokens: OidcTokens):
    several, unknown = ["viewer", "owner"], ["operator", "unheard of", 7]
    for roles, role in ((several, Role.OWNER), ("admin", Role.ADMIN), (unknown, Role.OPERATOR)):
        assert (await tokens.read(issuer.token(roles=roles))).role is role
    for roles in (None, [], "root", {"admin": True}, 7, ["Admin"], "admin viewer"):
        with pytest.raises(Forbidden, match="maps to no role"):
            await tokens.read(issuer.token(roles=roles))


async def test_claims_are_mapped(issuer: OidcIssuer, clock: FakeClock) -> None:
    tokens = reader(
        issuer,
        clock,
        role_claim="realm_access.roles",
        role_map={"lake-admins": Role.ADMIN, "lake-users": Role.OPERATOR},
        teams_claim="https://example.com/groups",
        teams_map={"G-1": "sales", "G-2": "hr"},
    )
    claims = {"realm_access": {"roles": ["lake-users", "admin"]}, "https://example.com/groups": ["G-1", "G-9"]}
    caller = await tokens.read(issuer.token(**claims))
    assert (caller.role, caller.teams) == (Role.OPERATOR, frozenset({"sales"}))
    tokens.close()


async def test_teams_come_from_their_claim(issuer: OidcIssuer, clock: FakeClock) -> None:
    claimed: dict[str, Any] = {"teams_claim": "groups"}
    mapped = claimed | {"teams_map": {"all": "*"}}
    for settings, groups, teams in (
        ({}, ["a"], frozenset()),
        (claimed, ["a", "b c"], frozenset({"a", "b c"})),
        (claimed, "a", frozenset({"a"})),
        (claimed, None, frozenset()),
        (claimed, ["*"], frozenset({"*"})),
        (mapped, ["all"], None),
        (mapped, ["*"], frozenset()),
    ):
        tokens = reader(issuer, clock, **settings)
        assert (await tokens.read(issuer.token(groups=groups))).teams == teams
        tokens.close()


def test_only_asymmetric_algorithms_can_be_pinned_and_an_issuer_elsewhere_needs_https() -> None:
    for algorithms in (("HS256",), ("none",), ("RS256", "HS512"), ()):
        with pytest.raises(InvalidInput, match="PACKHOUSE_OIDC_ALGORITHMS"):
            OidcSettings(issuer="https://id.example", audience="x", algorithms=algorithms)
    for url in ("http://id.example", "id.example", "", "file:///x", "http://127.0.0.1.example"):
        with pytest.raises(InvalidInput, match="PACKHOUSE_OIDC_ISSUER"):
            OidcSettings(issuer=url, audience="x")


async def test_each_issuer_has_subjects_and_maps_of_its_own_and_signs_for_itself_only(
    issuer: OidcIssuer, tokens: OidcTokens, clock: FakeClock
) -> None:
    with oidc_issuer() as ci:
        maps: dict[str, Any] = {"role_map": {"shop/lake": Role.PLANNER}, "teams_map": {"shop/lake": "sales"}}
        more = reader(ci, clock, name="ci", role_claim="repository", teams_claim="repository", **maps)
        several = SeveralIssuers(first=tokens, others={ci.url: more})
        caller = await several.read(ci.token(repository="shop/lake", roles=["admin"]))
        assert (caller.subject, caller.role, caller.teams) == ("oidc/ci:u-17", Role.PLANNER, frozenset({"sales"}))
        assert (await several.read(issuer.token())).subject == "oidc:u-17"
        with pytest.raises(Forbidden, match="repository"):
            await several.read(ci.token(repository="other/lake", roles=["admin"]))
        foreign = (
            ci.token(iss=issuer.url),
            issuer.token(iss=ci.url),
            ci.token(iss="https://elsewhere"),
            ci.token(iss=None),
        )
        for forged in (*foreign, unsigned(ci), signed_with_the_public_key(ci), "", "a.b.c", "x" * 20_000, "\ud800.a.b"):
            with pytest.raises(Unauthenticated):
                await several.read(forged)
        assert await several.sign_in() is None
        several.close()
