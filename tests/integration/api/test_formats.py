"""Operations and the capability matrix over HTTP."""

import pytest

from engine.domain.runs.operations import OPERATIONS
from engine.domain.runs.run import Operation
from tests.integration.api.conftest import Api

DLF = (
    *("access-key-id", "access-key-secret", "security-token", "token-path"),
    *("token-loader", "token-ecs-role-name", "region", "signing-algorithm"),
)


async def test_every_format_is_answered_with_the_reason_for_each_no(api: Api) -> None:
    items = (await api.get("/v1/formats"))["items"]
    assert {item["format"]: item["served"] for item in items} == {
        "iceberg": True,
        "delta": False,
        "paimon": True,
        "hive": True,
    }
    cells = [cell for item in items for cell in item["capabilities"]]
    assert all(cell["possible"] == (cell["reason"] is None) for cell in cells)


async def test_engines_and_strategies_are_told_apart(api: Api) -> None:
    iceberg = (await api.get("/v1/formats"))["items"][0]
    native = {each["strategy"]: each["possible"] for each in iceberg["capabilities"] if each["engine"] == "native"}
    assert {strategy for strategy, possible in native.items() if possible} == {"binpack"}
    assert [each["setting"] for each in iceberg["refused_settings"]] == ["rewrite.key"]


async def test_catalogs_of_every_supported_type_are_created_from_its_properties(api: Api) -> None:
    """Those that are needed suffice, and each other one is accepted; other types are refused by their reason."""
    known = {"warehouse": "s3://lake/w", "lock.enabled": "true", "packhouse.lock-time-zone": "UTC"}
    known |= {"hive.metastore.thrift.client.ssl.enabled": "true", "hive.kerberos-authentication": "true", "ugi": ""}
    known |= {
        "token.provider": "bear",
        "lock.type": "hive",
        "data-token.enabled": "true",
        "location-in-properties": "true",
        "packhouse.vended-hosts": "store.example",
        "scope": "all",
        "credential": "env:X",
    }
    # requests have one kind of authentication: a token here
    known |= dict.fromkeys((f"dlf.{each}" for each in DLF), "")
    addresses = dict.fromkeys(("metastore", "hive"), "thrift://lake:9083") | {"rest": "https://lake.example"}
    types = (await api.get("/v1/catalog-types"))["items"]
    assert {each["format"] for each in types} == {"iceberg", "paimon", "hive"}
    for number, each in enumerate(types):
        values = known | {"uri": addresses.get(each["type"], "postgresql://lake/catalog")}
        filled = {one["name"]: values.get(one["name"], "env:GIVEN") for one in each["properties"]}
        filled = {name: value for name, value in filled.items() if value}  # a user is not stated with Kerberos
        needed = {one["name"]: filled[one["name"]] for one in each["properties"] if one["required"]}
        either = {"token": "env:GIVEN"} if (each["format"], each["type"]) == ("paimon", "rest") else {}
        body = {"format": each["format"]}
        for name, given in ((f"needed-{number}", needed | either), (f"all-{number}", filled)):
            made = body | {"name": name, "properties": {"type": each["type"]} | given}
            answer = await api.post("/v1/catalogs", made, status=201 if each["supported"] else 422)
            assert each["supported"] or answer["errors"][0]["message"] == each["reason"]
        for name in needed:
            lacking = {"type": each["type"]} | {key: value for key, value in needed.items() if key != name}
            refused = await api.post("/v1/catalogs", body | {"name": "lacking", "properties": lacking}, status=422)
            found = refused["errors"][0]
            assert (found["pointer"], found["message"]) == (f"/properties/{name}", "is missing")


async def test_every_operation_says_what_it_needs_and_who_may_request_it(api: Api) -> None:
    items = {each["operation"]: each for each in (await api.get("/v1/operations"))["items"]}
    assert list(items) == [each.value for each in OPERATIONS]
    assert {name for name, each in items.items() if each["setting"] is None} == {"rewrite", "purge"}
    assert {name for name, each in items.items() if "spark" in each["needs"]} == {"rewrite"}
    assert {name for name, each in items.items() if each["needs_confirmation"]} == {"purge"}
    assert {each["caller_role"] for name, each in items.items() if name != "purge"} == {"operator"}


@pytest.mark.parametrize("operation", [each.operation for each in OPERATIONS.values() if each.setting])
async def test_the_example_of_an_operation_switches_it_on(api: Api, table_id: str, operation: Operation) -> None:
    items = (await api.get("/v1/operations"))["items"]
    declared = next(each for each in items if each["operation"] == operation)
    _, setting = declared["setting"].split(".")
    await api.put_policy(table_id, {"maintenance": {setting: declared["example"]}}, status=201)
    upkeep = (await api.get(f"/v1/tables/{table_id}/upkeep"))["operations"]
    assert next(each["is_on"] for each in upkeep if each["operation"] == operation)
