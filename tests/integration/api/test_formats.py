"""The capability matrix over HTTP."""

from tests.integration.api.conftest import Api


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
