"""Reports about scans and commits over HTTP, as Iceberg's clients send them."""

from typing import Any

from tests.integration.api.access import as_caller
from tests.integration.api.conftest import Api

PATH = "/v1/iceberg/v1/lake/namespaces/{}/tables/{}/metrics"


def scan(*columns: str, files: int = 12) -> dict[str, Any]:
    expression: Any = True
    for column in columns:
        expression = {"type": "and", "left": expression, "right": {"type": "eq", "term": column, "value": "(hash)"}}
    metrics = {"result-data-files": {"unit": "count", "value": files}}
    return {"report-type": "scan-report", "table-name": "x", "filter": expression, "metrics": metrics, "schema-id": 0}


async def test_scans_that_are_reported_change_the_advice(api: Api, table_id: str) -> None:
    table = await api.get(f"/v1/tables/{table_id}")
    path = PATH.format("%1F".join(table["namespace"]), table["name"])
    before = await api.get(f"/v1/tables/{table_id}/advice")
    assert (before["layout"]["layout"], before["scans"]) == ("unknown", None)
    for _ in range(5):
        await api.call("POST", path, json=scan("id", files=40), status=204)
    await api.call("POST", path, json=scan(files=7), status=204)
    after = await api.get(f"/v1/tables/{table_id}/advice")
    assert (after["layout"]["layout"], after["layout"]["cluster_by"]) == ("cluster", ["id"])
    assert after["layout"]["query_count"] == after["scans"]["scans"] == 6
    assert after["scans"]["result_files"] == 207
    assert after["policy"]["rewrite"]["columns"] == [{"name": "id"}]


async def test_a_commit_that_is_reported_schedules_a_look(api: Api, table_id: str) -> None:
    table = await api.get(f"/v1/tables/{table_id}")
    path = PATH.format("%1F".join(table["namespace"]), table["name"])
    async with api.container.database.read() as unit:
        before = (await unit.watches.get(table_id)).next_at
    await api.call("POST", path, json={"report-type": "commit-report", "operation": "append"}, status=204)
    async with api.container.database.read() as unit:
        assert (await unit.watches.get(table_id)).next_at < before
    assert (await api.get(f"/v1/tables/{table_id}/advice"))["scans"] is None


async def test_reports_of_unknown_tables_and_of_another_form_are_refused(api: Api, table_id: str) -> None:
    table = await api.get(f"/v1/tables/{table_id}")
    path = PATH.format("%1F".join(table["namespace"]), table["name"])
    await api.call("POST", PATH.format("none", "none"), json=scan("id"), status=404)
    kind = {"report-type": "scan-report"}
    for body in ({}, {"report-type": "other"}, [], {"report_type": "scan-report"}, kind | {"filter": [[["id"]]]}):
        await api.call("POST", path, json=body, status=422)
    await api.call("POST", path, json=kind | {"metrics": 7}, status=422)
    odd = kind | {"filter": {"type": [["id"]]}, "metrics": {"result-data-files": 7}, "more": {"a": [None]}}
    await api.call("POST", path, json=odd, status=204)
    stranger = await as_caller(api, "operator", name="other", teams=["nobody"])
    assert (await stranger.post(path, json=scan("id"))).status_code == 404
