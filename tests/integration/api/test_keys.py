"""Keys over HTTP: who may, what is shown, and what a key is good for."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.integration.api.access import ROLES, as_caller, make_key
from tests.integration.api.conftest import Api


async def test_a_secret_is_shown_once(api: Api) -> None:
    response = await api.call("POST", "/v1/keys", json={"name": "etl", "role": "operator"}, status=201)
    created = response.json()
    assert created["secret"].startswith("pkh_")
    assert response.headers["cache-control"] == "no-store, no-transform"
    shown = await api.get(response.headers["location"])
    assert shown == {name: value for name, value in created.items() if name != "secret"}
    assert created["secret"] not in (await api.call("GET", "/v1/keys", status=200)).text


async def test_a_key_is_its_name_role_and_teams_and_an_admin_sees_every_team(api: Api) -> None:
    client = await as_caller(api, "owner", name="etl", teams=["sales", "hr"])
    assert (await client.get("/v1/whoami")).json() == {"subject": "key:etl", "role": "owner", "teams": ["hr", "sales"]}
    assert await api.get("/v1/whoami") == {"subject": "key:admin", "role": "admin", "teams": None}


async def test_a_revoked_key_is_refused_at_once(api: Api) -> None:
    created = await make_key(api, "operator")
    client = api.with_key(created["secret"])
    assert (await client.get("/v1/whoami")).status_code == 200
    await api.call("POST", f"/v1/keys/{created['id']}/revoke", status=200)
    assert (await client.get("/v1/whoami")).status_code == 401
    await api.call("POST", f"/v1/keys/{created['id']}/revoke", status=200)
    assert (await api.get(f"/v1/keys/{created['id']}"))["revoked_at"] is not None


async def test_the_last_admin_key_stays_until_there_is_another(api: Api) -> None:
    (first,) = (await api.get("/v1/keys"))["items"]
    refused = await api.call("POST", f"/v1/keys/{first['id']}/revoke", status=409)
    assert "create another admin key first" in refused.json()["detail"]
    assert refused.json()["remedy"]["request"] == "POST /v1/keys"
    client = await as_caller(api, "admin")
    assert (await client.post(f"/v1/keys/{first['id']}/revoke")).status_code == 200
    assert (await api.client.get("/v1/whoami")).status_code == 401


async def test_the_third_key_of_a_name_is_refused(api: Api) -> None:
    body = {"name": "etl", "role": "viewer"}
    slots = [(await api.post("/v1/keys", body, status=201))["slot"] for _ in range(2)]
    assert slots == [1, 2]
    assert "revoke the older" in (await api.post("/v1/keys", body, status=409))["detail"]


async def test_the_expiry_is_kept_in_utc(api: Api) -> None:
    later = datetime.now(UTC) + timedelta(days=1)
    body = {"name": "etl", "role": "viewer", "expires_at": later.isoformat()}
    created = await api.post("/v1/keys", body, status=201)
    assert datetime.fromisoformat(created["expires_at"]) == later


async def test_keys_come_in_pages_newest_first(api: Api) -> None:
    for _ in range(4):
        await make_key(api, "viewer")
    seen = [key["name"] for key in await api.items("/v1/keys", page_size=2)]
    assert len(seen) == 5
    assert seen[-1] == "admin"


@pytest.mark.parametrize("path", ["/v1/keys", "/v1/keys/key_none", "/v1/audit"])
@pytest.mark.parametrize("role", [role for role in ROLES if role != "admin"])
async def test_keys_and_the_audit_log_are_for_admins(api: Api, path: str, role: str) -> None:
    response = await (await as_caller(api, role)).get(path)
    assert response.status_code == 403
    assert response.json()["code"] == "forbidden"
    assert "'admin'" in response.json()["detail"]
    assert f"'{role}'" in response.json()["detail"]
