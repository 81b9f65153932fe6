"""Who may call."""

import pytest

from tests.integration.api.conftest import Api


@pytest.mark.parametrize(
    "path",
    [
        *("/v1/catalogs", "/v1/tables/tbl_x", "/v1/runs", "/v1/nothing-here", "/v1"),
        *("/v1/sign-in/", "/v1/sign-in/x", "/v1/sign-in%2fx", "/v1/sign-inx"),
    ],
)
async def test_every_path_under_v1_needs_a_key(api: Api, path: str) -> None:
    response = await api.anonymous.get(path)
    assert response.status_code == 401
    assert response.headers["www-authenticate"].startswith("Bearer")
    assert response.json()["code"] == "unauthenticated"


@pytest.mark.parametrize(
    "header", ["Bearer pkh_wrong", "Bearer nonsense", "Bearer ", "Bearer", "Basic cGtoXw==", "pkh_x", ""]
)
async def test_a_wrong_key_is_refused(api: Api, header: str) -> None:
    response = await api.anonymous.get("/v1/runs", headers={"Authorization": header})
    assert response.status_code == 401


async def test_the_key_is_judged_before_the_body_is_read(api: Api) -> None:
    response = await api.anonymous.post("/v1/catalogs", content=b"{ not json", headers={"Content-Type": "text/plain"})
    assert response.status_code == 401


async def test_the_first_key_is_made_once(api: Api) -> None:
    assert await api.container.access.ensure_admin_key() is None


async def test_the_scheme_may_be_written_in_any_case(api: Api) -> None:
    key = api.client.headers["Authorization"].removeprefix("Bearer ")
    response = await api.anonymous.get("/v1/runs", headers={"Authorization": f"bearer {key}"})
    assert response.status_code == 200


@pytest.mark.parametrize(
    "path", ["/", "/healthz", "/readyz", "/metrics", "/openapi.json", "/docs", "/problems/not_found", "/v1/sign-in"]
)
async def test_state_and_description_need_no_key(api: Api, path: str) -> None:
    assert (await api.anonymous.get(path)).status_code == 200
