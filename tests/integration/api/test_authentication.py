"""Who may call."""

from tests.integration.api.conftest import Api


async def test_every_path_under_v1_needs_a_key(api: Api) -> None:
    for path in (
        "/catalogs",
        "/tables/tbl_x",
        "/runs",
        "/nothing-here",
        "",
        "/sign-in/",
        "/sign-in/x",
        "/sign-in%2fx",
        "/sign-inx",
    ):
        response = await api.anonymous.get(f"/v1{path}")
        assert response.status_code == 401, path
        assert response.headers["www-authenticate"].startswith("Bearer")
        assert response.json()["code"] == "unauthenticated"


async def test_a_wrong_key_is_refused_and_the_scheme_written_in_any_case(api: Api) -> None:
    wrong = ("Bearer pkh_wrong", "Bearer nonsense", "Bearer ", "Bearer", "Basic cGtoXw==", "pkh_x", "")
    right = api.client.headers["Authorization"].replace("Bearer", "bearer")
    for header in (*wrong, right):
        response = await api.anonymous.get("/v1/runs", headers={"Authorization": header})
        assert response.status_code == (200 if header == right else 401), header


async def test_the_key_is_judged_before_the_body_is_read(api: Api) -> None:
    response = await api.anonymous.post("/v1/catalogs", content=b"{ not json", headers={"Content-Type": "text/plain"})
    assert response.status_code == 401


async def test_the_first_key_is_made_once(api: Api) -> None:
    assert await api.container.access.ensure_admin_key() is None


async def test_state_and_description_need_no_key(api: Api) -> None:
    for path in (
        "/",
        "/healthz",
        "/readyz",
        "/metrics",
        "/openapi.json",
        "/docs",
        "/problems/not_found",
        "/v1/sign-in",
    ):
        assert (await api.anonymous.get(path)).status_code == 200, path
