"""`packhouse dbt-signal`, with artefacts of two versions of dbt on DuckDB, without their macros, code and folders."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.integration.api.access import make_key
from tests.integration.api.conftest import Api, Command
from tests.support.world import SCHEMA, Lake

RECORDED = Path(__file__).parents[2] / "data/dbt"
VERSIONS = sorted(each.name for each in RECORDED.iterdir())
SHOP, RAW = "lake.shop.orders", "lake.shop_raw.events_by_day"


@pytest.fixture
async def shop(api: Api, lake: Lake) -> None:
    """Two of the four tables that dbt wrote; one belongs to a team."""
    for namespace, name, team in (("shop", "orders", None), ("shop_raw", "events_by_day", "growth")):
        lake.catalog.create_namespace(namespace)
        lake.catalog.create_table((namespace, name), SCHEMA)
        table = {"catalog": "lake", "namespace": [namespace], "name": name, "owner_team": team}
        await api.post("/v1/tables", table, status=201)


def changed(folder: Path, path: str, value: Any) -> Path:
    """Return a copy of recorded artefacts with one value changed: artefact, then keys and indexes."""
    artefact, *keys = (int(key) if key.isdecimal() else key for key in path.split("/"))
    for name in ("run_results", "manifest"):
        document = json.loads((RECORDED / VERSIONS[0] / f"{name}.json").read_text())
        if name == artefact:
            node = document
            for key in keys[:-1]:
                node = node[key]
            node[keys[-1]] = value
        (folder / f"{name}.json").write_text(json.dumps(document))
    return folder


@pytest.mark.usefixtures("shop")
async def test_written_tables_are_signalled_once_and_the_others_are_listed(packhouse: Command, api: Api) -> None:
    assert len(VERSIONS) == 2
    for version in VERSIONS:
        for _ in range(2):
            found = await packhouse.json("dbt-signal", str(RECORDED / version))
            sent, unknown = ([(each["model"], each["table"]) for each in found[name]] for name in ("sent", "unknown"))
            assert sent == [("model.shop.orders", SHOP), ("model.shop.events", RAW)]
            assert unknown == [
                ("seed.shop.regions", "lake.shop.regions"),
                ("snapshot.shop.orders_history", "lake.shop.orders_history"),
            ]
    for table in (SHOP, RAW):
        signals = (await api.get("/v1/signals", params={"kind": "commit", "table_id": table}))["items"]
        assert len(signals) == len(VERSIONS)


@pytest.mark.usefixtures("shop")
async def test_a_database_of_dbt_has_a_catalog_and_a_table_of_others_does_not_stop_the_rest(
    packhouse: Command, api: Api, tmp_path: Path
) -> None:
    target = str(RECORDED / VERSIONS[0])
    for option, table in (("other", "other.shop.orders"), ("lake=prod", "prod.shop.orders"), ("db=prod", SHOP)):
        found = await packhouse.json("dbt-signal", target, "--catalog", option)
        assert table in [each["table"] for name in ("sent", "unknown") for each in found[name]]
    growth = (await make_key(api, "operator", teams=["growth"]))["secret"]
    found = await packhouse.json("dbt-signal", target, "--api-key", growth)
    assert [each["table"] for each in found["sent"]] == [RAW]
    viewer = (await make_key(api, "viewer"))["secret"]
    refused = await packhouse("dbt-signal", target, "--api-key", viewer)
    assert (refused.returncode, "4 signals were refused" in refused.stderr) == (8, True)
    nameless = changed(tmp_path, "manifest/nodes/model.shop.orders/database", None)
    done = await packhouse("dbt-signal", str(nameless))
    assert (done.returncode, "model.shop.orders has no database" in done.stderr) == (2, True)
    assert "error" not in (await packhouse("dbt-signal", str(nameless), "--catalog", "lake")).stderr


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("manifest/metadata/dbt_schema_version", "https://schemas.getdbt.com/dbt/manifest/v99.json", "manifest/v12"),
        ("manifest/metadata/dbt_schema_version", 12, "12 where text is expected"),
        ("run_results/results", {"0": 1}, "run_results.json: results: {'0': 1} where a list"),
        ("run_results/results/0", 5, "run_results.json: results.0.status: nothing where text"),
        ("run_results/results/0/unique_id", "model.x", "manifest.json: nodes.model.x.config.materialized: nothing"),
        ("manifest/nodes/model.shop.orders/alias", "a\u202eb", "alias: 'a\\u202eb' is not a name"),
        ("manifest/nodes/model.shop.orders/schema", "\ud800", "schema: '\\ud800' is not a name"),
        ("manifest/nodes/model.shop.orders/schema", "x" * 1_001, "is not a name"),
        ("manifest/nodes/model.shop.orders/database", ["a"], "database: ['a'] where text is expected"),
    ],
)
async def test_artefacts_with_wrong_values_are_refused_with_file_and_field(
    packhouse: Command, tmp_path: Path, path: str, value: object, words: str
) -> None:
    done = await packhouse("dbt-signal", str(changed(tmp_path, path, value)))
    assert (done.returncode, words in done.stderr) == (2, True), done.stderr


async def test_artefacts_that_are_missing_huge_or_not_json_are_refused(packhouse: Command, tmp_path: Path) -> None:
    results = tmp_path / "run_results.json"
    for text, words in ((None, "does not exist"), ("[" * 200_000, "is not JSON"), ("{", "is not JSON")):
        if text is not None:
            results.write_text(text)
        done = await packhouse("dbt-signal", str(tmp_path))
        assert (done.returncode, words in done.stderr) == (2, True), done.stderr
    with results.open("wb") as sparse:
        sparse.truncate(2**40)
    assert "268,435,456 is the limit" in (await packhouse("dbt-signal", str(tmp_path))).stderr
