"""What a browser is told before it has a credential: the ways to sign in, and where its page may connect to."""

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from api.console.files import Console
from engine.settings.model import Settings
from tests.integration.api.conftest import Api, started_api
from tests.support.oidc_issuer import AUDIENCE, OidcIssuer, oidc_issuer

DISCOVERY = "/.well-known/openid-configuration"


@pytest.fixture
def issuer() -> Iterator[OidcIssuer]:
    with oidc_issuer() as running:
        yield running


@pytest.fixture
def oidc_settings(settings: Settings, issuer: OidcIssuer) -> dict[str, Any]:
    return {
        "oidc_issuer": issuer.url,
        "oidc_audience": AUDIENCE,
        "oidc_console_client_id": "packhouse-console",
        "oidc_console_scopes": "openid  profile",
    }


@pytest.fixture
async def oidc(settings: Settings, oidc_settings: dict[str, Any], redis: Redis, tmp_path: Path) -> AsyncIterator[Api]:
    """An app whose callers may come from an identity provider."""
    (tmp_path / "index.html").write_text("<!doctype html>")
    async with started_api(settings.model_copy(update=oidc_settings)) as started:
        started.app.state.console = Console(tmp_path)
        yield started


async def connectable(api: Api) -> list[str]:
    """Return the origins that the console's page may connect to."""
    policy = (await api.anonymous.get("/console")).headers["content-security-policy"]
    [found] = re.findall(r"connect-src 'self'([^;]*)", policy)
    return str(found).split()


async def test_without_a_provider_people_sign_in_with_keys(api: Api) -> None:
    response = await api.anonymous.get("/v1/sign-in")
    assert response.json() == {"api_keys": True, "oidc": None}


async def test_a_browser_learns_where_to_sign_in(oidc: Api, issuer: OidcIssuer) -> None:
    assert (await oidc.anonymous.get("/v1/sign-in")).json() == {
        "api_keys": True,
        "oidc": {
            "issuer": issuer.url,
            "client_id": "packhouse-console",
            "scopes": ["openid", "profile"],
            "authorization_endpoint": f"{issuer.url}/authorization",
            "token_endpoint": f"{issuer.url}/token",
        },
    }


async def test_the_provider_is_asked_once(oidc: Api, issuer: OidcIssuer) -> None:
    for _ in range(3):
        await oidc.anonymous.get("/v1/sign-in")
        await oidc.anonymous.get("/console")
    assert (await oidc.with_key(issuer.token()).get("/v1/whoami")).status_code == 200
    assert issuer.requests == [DISCOVERY, "/keys"]


async def test_while_the_provider_is_away_its_endpoints_are_unknown(oidc: Api, issuer: OidcIssuer) -> None:
    issuer.is_away = True
    for _ in range(3):
        found = (await oidc.anonymous.get("/v1/sign-in")).json()["oidc"]
        assert (found["authorization_endpoint"], found["token_endpoint"]) == (None, None)
        assert await connectable(oidc) == [issuer.url]
    assert issuer.requests == [DISCOVERY]


async def test_a_provider_without_a_client_for_the_console_is_not_offered(
    settings: Settings, oidc_settings: dict[str, Any], redis: Redis, issuer: OidcIssuer
) -> None:
    given = oidc_settings | {"oidc_console_client_id": None}
    async with started_api(settings.model_copy(update=given)) as api:
        assert (await api.anonymous.get("/v1/sign-in")).json()["oidc"] is None
    assert issuer.requests == []


async def test_the_page_may_connect_to_the_provider(oidc: Api, issuer: OidcIssuer) -> None:
    issuer.stated_endpoints = {"token_endpoint": "https://Tokens.example:8443/oauth2/token?tenant=a"}
    assert await connectable(oidc) == [issuer.url, "https://tokens.example:8443"]


@pytest.mark.parametrize("address", ["http://elsewhere.example/t", "javascript:alert(1)", "https://[", "", None, 7])
async def test_an_unsafe_endpoint_is_left_out_and_tokens_still_work(
    oidc: Api, issuer: OidcIssuer, address: Any
) -> None:
    issuer.stated_endpoints = {"token_endpoint": address}
    found = (await oidc.anonymous.get("/v1/sign-in")).json()["oidc"]
    assert found["token_endpoint"] is None
    assert found["authorization_endpoint"] == f"{issuer.url}/authorization"
    assert (await oidc.with_key(issuer.token()).get("/v1/whoami")).status_code == 200


@pytest.mark.parametrize(
    "host", ["x; script-src *", "x 'unsafe-inline'", "user@x", "x:port", "ex\u00e4mple.example", "x\r\nSet-Cookie: a=b"]
)
async def test_no_endpoint_adds_a_rule_to_the_policy(oidc: Api, issuer: OidcIssuer, host: str) -> None:
    issuer.stated_endpoints = {"token_endpoint": f"https://{host}/token"}
    response = await oidc.anonymous.get("/console")
    policy = response.headers["content-security-policy"]
    assert f"connect-src 'self' {issuer.url};" in policy
    assert policy.count("script-src") == 1
    assert "set-cookie" not in response.headers
