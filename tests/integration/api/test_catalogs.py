"""Catalogs over HTTP."""

from pathlib import Path
from typing import Any

import pytest

from engine.settings.model import Settings
from tests.integration.api.conftest import Api
from tests.support.world import Lake

PROPERTIES = {"type": "sql", "uri": "env:TEST_CATALOG_URI", "warehouse": "file:///tmp/warehouse"}


@pytest.fixture
def settings(settings: Settings, secret_folder: Path) -> Settings:
    """Packhouse's own folder where files may be secrets, but for being its own."""
    return settings.model_copy(update={"data_dir": secret_folder / "own"})


def catalog(name: str = "lake", **properties: str) -> dict[str, object]:
    return {"name": name, "format": "iceberg", "properties": PROPERTIES | properties}


async def test_a_created_catalog_is_found_under_its_location_with_its_references_to_secrets(api: Api) -> None:
    response = await api.call("POST", "/v1/catalogs", status=201, json=catalog())
    shown = await api.call("GET", response.headers["location"], status=200)
    assert shown.json() == response.json()
    assert shown.json()["properties"] == PROPERTIES
    assert response.headers["etag"] == '"1"'
    assert shown.headers["etag"].startswith('"1-')


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("s3.secret-access-key", "AKIA123"),
        ("token", "abc"),
        ("client.password", "swordfish"),
        ("credential", "id:secret"),
        ("adls.account-key", "swordfish"),
        ("header.Authorization", "Bearer swordfish"),
        ("uri", "postgresql://user:hunter2@host/db"),
        ("uri", "https://host/?password=hunter2"),
    ],
)
async def test_a_secret_in_clear_is_refused_with_the_remedy(api: Api, name: str, value: str) -> None:
    response = await api.call("POST", "/v1/catalogs", status=422, json=catalog(**{name: value}))
    [error] = response.json()["errors"]
    assert error["pointer"] == f"/properties/{name}"
    assert "env:NAME" in error["hint"]
    assert value not in response.text


async def test_a_property_that_is_not_text_is_not_repeated(api: Api) -> None:
    response = await api.call("POST", "/v1/catalogs", status=422, json=catalog(password=12345678))  # type: ignore[arg-type]
    assert "12345678" not in response.text


async def test_a_name_is_taken_once_and_a_wrong_one_answered_with_the_nearest(api: Api) -> None:
    await api.post("/v1/catalogs", catalog(), status=201)
    assert (await api.post("/v1/catalogs", catalog(), status=409))["code"] == "state_conflict"
    assert "'lake'" in (await api.get("/v1/catalogs/lak", status=404))["detail"]


async def test_a_replace_needs_the_version_that_was_read(api: Api) -> None:
    await api.post("/v1/catalogs", catalog(), status=201)
    body = {"properties": PROPERTIES | {"warehouse": "file:///elsewhere"}}
    await api.call("PUT", "/v1/catalogs/lake", status=428, json=body)
    replaced = await api.call("PUT", "/v1/catalogs/lake", status=200, json=body, headers={"If-Match": '"1"'})
    assert replaced.headers["etag"] == '"2"'
    await api.call("PUT", "/v1/catalogs/lake", status=412, json=body, headers={"If-Match": '"1"'})


async def test_a_tag_that_can_match_nothing_changes_nothing(api: Api) -> None:
    await api.post("/v1/catalogs", catalog(), status=201)
    for tag, status in (("1", 422), ("*", 422), ('W/"1"', 412), ('"x"', 412), ('"1", "2"', 422)):
        await api.call("DELETE", "/v1/catalogs/lake", status=status, headers={"If-Match": tag})
        await api.get("/v1/catalogs/lake")


async def test_a_catalog_with_tables_is_not_deleted(api: Api, table_id: str) -> None:
    await api.call("DELETE", "/v1/catalogs/lake", status=409, headers={"If-Match": '"1"'})
    await api.call("DELETE", f"/v1/tables/{table_id}", status=204)
    await api.call("DELETE", "/v1/catalogs/lake", status=204, headers={"If-Match": '"1"'})
    await api.get("/v1/catalogs/lake", status=404)


async def test_allowed_locations_are_kept_and_replaced_as_a_whole(api: Api) -> None:
    allowed = ["s3://lake/warehouse", "file:///data"]
    created = await api.post("/v1/catalogs", catalog() | {"allowed_locations": allowed}, status=201)
    assert created["allowed_locations"] == allowed
    body = {"properties": PROPERTIES}
    replaced = await api.call("PUT", "/v1/catalogs/lake", status=200, json=body, headers={"If-Match": '"1"'})
    assert replaced.json()["allowed_locations"] == []


async def test_an_etag_does_not_come_back_with_a_new_catalog_of_the_name(api: Api) -> None:
    await api.post("/v1/catalogs", catalog(), status=201)
    await api.call("DELETE", "/v1/catalogs/lake", status=204, headers={"If-Match": '"1"'})
    again = await api.call("POST", "/v1/catalogs", status=201, json=catalog())
    assert again.headers["etag"] == '"2"'
    await api.call("DELETE", "/v1/catalogs/lake", status=412, headers={"If-Match": '"1"'})


async def test_a_check_shows_each_step_and_notes_a_misspelt_property(api: Api, lake: Lake) -> None:
    answer = await api.post("/v1/catalogs/lake/check", status=200)
    assert answer["ok"], answer
    assert answer["steps"][0]["name"] == "secrets"
    properties = lake.properties | {"warehous": "file:///elsewhere"}
    request: dict[str, Any] = {"json": {"properties": properties}, "headers": {"If-Match": '"1"'}}
    refused = (await api.call("PUT", "/v1/catalogs/lake", status=422, **request)).json()
    assert refused["errors"][0]["hint"].startswith("did you mean 'warehouse'?")
    properties["warehous"] = "true"
    await api.call("PUT", "/v1/catalogs/lake", status=200, **request)
    answer = await api.post("/v1/catalogs/lake/check", status=200)
    assert answer["ok"]
    assert {"name": "properties", "ok": True, "detail": "'warehous' is not known; did you mean 'warehouse'?"} in (
        answer["steps"]
    )


async def test_a_check_names_the_secret_that_is_missing_and_a_broken_connection(api: Api, tmp_path: Path) -> None:
    await api.post("/v1/catalogs", catalog(), status=201)
    answer = await api.post("/v1/catalogs/lake/check", status=200)
    assert not answer["ok"]
    assert "TEST_CATALOG_URI" in answer["steps"][0]["detail"]
    await api.post("/v1/catalogs", catalog("broken", uri=f"sqlite:///{tmp_path}/no/such/folder.db"), status=201)
    assert not (await api.post("/v1/catalogs/broken/check", status=200))["ok"]


async def test_a_secret_is_read_from_its_file_when_it_is_used(api: Api, secret_folder: Path) -> None:
    secret = secret_folder / "uri"
    await api.post("/v1/catalogs", catalog(uri=f"file:{secret}", init_catalog_tables="true"), status=201)
    assert not (await api.post("/v1/catalogs/lake/check", status=200))["ok"]
    secret.write_text(f"sqlite:///{secret_folder / 'catalog.db'}\n")
    assert (await api.post("/v1/catalogs/lake/check", status=200))["ok"]


async def test_what_a_wrong_reference_stands_for_is_not_answered(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_NO_ADDRESS", "hunter2-is-no-address")
    properties = PROPERTIES | {"uri": "env:TEST_NO_ADDRESS"}
    await api.post("/v1/catalogs", {"name": "lake", "format": "iceberg", "properties": properties}, status=201)
    body = {"catalog": "lake", "namespace": ["a"], "name": "b"}
    refused = await api.call("POST", "/v1/tables", status=422, json=body)
    assert refused.json()["errors"][0]["pointer"] == "/properties/uri"
    assert "hunter2" not in refused.text


async def test_a_catalog_gets_no_file_of_packhouse_itself(api: Api, settings: Settings) -> None:
    reference = f"file:{settings.data_dir.absolute()}/secret.key"
    properties = {"type": "rest", "uri": "https://catalog.example", "token": reference}
    body = {"name": "greedy", "format": "iceberg", "properties": properties}
    refused = await api.post("/v1/catalogs", body, status=422)
    assert [(problem["pointer"], problem["value"]) for problem in refused["errors"]] == [
        ("/properties/token", reference)
    ]
    assert "/dev" not in refused["errors"][0]["message"]
