"""Limits on requests over HTTP, and on failed authentications."""

from collections.abc import AsyncIterator, Iterator

import httpx
import pytest
from redis.asyncio import Redis

from engine.settings.model import Settings
from tests.integration.api.access import as_caller
from tests.integration.api.conftest import Api, started_api
from tests.support.oidc_issuer import AUDIENCE, OidcIssuer, oidc_issuer


@pytest.fixture
def settings(settings: Settings) -> Settings:
    limits = {"reads_per_minute": 6, "writes_per_minute": 4, "failed_authentications_per_minute": 3}
    return settings.model_copy(update=limits)


async def reads(client: httpx.AsyncClient, count: int) -> list[httpx.Response]:
    return [await client.get("/v1/whoami") for _ in range(count)]


async def test_every_answer_says_what_is_left(api: Api) -> None:
    first, second = await reads(api.client, 2)
    assert first.headers["ratelimit-policy"] == '"reads";q=6;w=60'
    assert first.headers["ratelimit"].startswith('"reads";r=5;t=')
    assert second.headers["ratelimit"].startswith('"reads";r=4;t=')


async def test_more_are_refused_with_the_time_to_come_back(api: Api) -> None:
    refused = (await reads(api.client, 14))[-1]  # two minutes' worth and more, should a minute begin meanwhile
    assert refused.status_code == 429
    assert refused.json()["code"] == "rate_limited"
    assert 1 <= int(refused.headers["retry-after"]) <= 60
    assert refused.headers["ratelimit"].startswith('"reads";r=0;t=')


async def test_reads_do_not_use_up_writes_nor_another_callers_reads(api: Api) -> None:
    other = await as_caller(api, "viewer")
    await reads(api.client, 14)
    assert (await other.get("/v1/whoami")).status_code == 200
    assert (await api.client.post("/v1/keys", json={})).status_code == 422


async def test_state_and_description_are_not_limited(api: Api) -> None:
    answers = [await api.anonymous.get("/healthz") for _ in range(20)]
    assert {answer.status_code for answer in answers} == {200}
    assert "ratelimit" not in answers[0].headers


async def test_an_address_that_fails_too_often_is_not_looked_up_any_more(api: Api) -> None:
    wrong = api.with_key("pkh_wrong")
    answers = await reads(wrong, 8)
    assert answers[0].status_code == 401
    assert answers[-1].status_code == 429
    assert "retry-after" in answers[-1].headers


async def test_a_key_that_lately_worked_passes_from_such_an_address(api: Api) -> None:
    assert (await api.client.get("/v1/whoami")).status_code == 200
    await reads(api.with_key("pkh_wrong"), 8)
    assert (await api.client.get("/v1/whoami")).status_code == 200


async def test_addresses_of_one_ipv6_subscriber_are_one_address(api: Api) -> None:
    answers = [await from_address(api, f"2001:db8:0:7::{number:x}", "pkh_wrong") for number in range(1, 9)]
    assert answers[-1].status_code == 429
    assert (await from_address(api, "2001:db8:0:8::1", "pkh_wrong")).status_code == 401


async def test_a_token_that_lately_worked_passes_from_an_address_that_is_locked_out(
    oidc: Api, issuer: OidcIssuer
) -> None:
    token = issuer.token()
    assert (await oidc.with_key(token).get("/v1/whoami")).status_code == 200
    await reads(oidc.with_key("not.a.token"), 8)
    assert (await oidc.with_key(token).get("/v1/whoami")).status_code == 200
    assert (await oidc.with_key(issuer.token(jti="another")).get("/v1/whoami")).status_code == 429


async def test_an_address_that_is_locked_out_causes_no_question_to_the_provider(oidc: Api, issuer: OidcIssuer) -> None:
    await reads(oidc.with_key("not.a.token"), 8)
    answers = [await oidc.with_key(issuer.token(header={"kid": f"guess {n}"})).get("/v1/whoami") for n in range(5)]
    assert {answer.status_code for answer in answers} == {429}
    assert issuer.requests == []


@pytest.fixture
def issuer() -> Iterator[OidcIssuer]:
    with oidc_issuer() as running:
        yield running


@pytest.fixture
async def oidc(settings: Settings, issuer: OidcIssuer, redis: Redis) -> AsyncIterator[Api]:
    """An app that accepts tokens of the provider."""
    wanted = settings.model_copy(update={"oidc_issuer": issuer.url, "oidc_audience": AUDIENCE})
    async with started_api(wanted) as api:
        yield api


async def from_address(api: Api, address: str, key: str) -> httpx.Response:
    transport = httpx.ASGITransport(app=api.app, client=(address, 50_000))
    async with httpx.AsyncClient(transport=transport, base_url="http://packhouse") as client:
        return await client.get("/v1/whoami", headers={"Authorization": f"Bearer {key}"})
