"""`GET /v1/system`: what is away, since when, and what waits for it, as far as the caller may know."""

from dataclasses import replace
from typing import Any

import pytest

from engine.domain.errors import Away
from engine.domain.fleet.breakers import TABLES_TO_OPEN, Fault
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.fleet.processes import ProcessKind
from engine.domain.ids import TableId
from engine.domain.runs.run import Run, RunState
from engine.services.fleet import system
from tests.integration.api.access import as_caller
from tests.integration.api.conftest import Api, Command
from tests.support.eventually import seen_when


async def components(api: Api) -> dict[str, Any]:
    """Return the components by kind and name."""
    found = await api.get("/v1/system")
    return {f"{each['kind']} {each['name']}".strip(): each for each in found["components"]}


async def queued(api: Api, table_id: str) -> Run:
    accepted = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)
    async with api.container.database.read() as unit:
        run = await unit.runs.get(accepted["id"])
    assert run is not None
    return run


async def report(api: Api, run: Run, dependency: DependencyKind, detail: str) -> None:
    async with api.container.database.begin() as unit:
        await unit.outages.report(Away(dependency, detail), run)


async def test_a_system_without_workers_is_degraded_and_says_what_that_means(api: Api, table_id: str) -> None:
    found = await components(api)
    assert [name for name, each in found.items() if each["state"] != "ok"] == ["spark", "coordinator", "worker"]
    assert found["spark"]["text"] == "Spark does not answer: runs that need it wait until it does."
    assert found["worker"]["text"] == "No worker is alive: accepted runs wait until one is started."
    assert found["catalog lake"]["text"] == "No outage of catalog lake is known."
    async with api.container.database.begin() as unit:
        for kind in ProcessKind:
            await unit.processes.report(kind, "a")
        await unit.processes.report(ProcessKind.WORKER, "b")
    found = await seen_when(lambda: components(api), lambda seen: seen["worker"]["state"] == "ok")
    assert (found["coordinator"]["text"], found["worker"]["text"]) == (
        "1 coordinator is alive.",
        "2 workers are alive.",
    )


async def test_outages_say_what_waits_and_when_they_are_probed(api: Api, table_id: str) -> None:
    run = await queued(api, table_id)
    await report(api, run, DependencyKind.SPARK, "connection refused")
    await report(api, run, DependencyKind.CATALOG, "no answer within 60 s")
    await report(api, run, DependencyKind.STORAGE, "503 from the store")
    found = await components(api)
    spark = found["spark"]
    assert spark["text"] == "Spark does not answer. 1 run waits for it, and continues once it answers."
    assert (spark["state"], spark["detail"], spark["waiting_runs"]) == ("away", "connection refused", 1)
    assert spark["since"] < spark["next_probe_at"]
    assert found["catalog lake"]["text"] == "Catalog lake does not answer. No run waits for it."
    (storage,) = (name for name in found if name.startswith("storage"))
    assert found[storage]["text"] == f"The storage of table {storage.split()[1]} does not answer. No run waits for it."


async def test_what_others_own_is_not_shown(api: Api, table_id: str) -> None:
    run = await queued(api, table_id)
    await report(api, run, DependencyKind.STORAGE, "503 from the store")
    await report(api, run, DependencyKind.SPARK, "connection refused")
    await report(api, run, DependencyKind.CATALOG, "no answer within 60 s")
    viewer = await as_caller(api, "viewer", teams=["others"])
    found = (await viewer.get("/v1/system")).raise_for_status().json()
    assert [each["kind"] for each in found["components"]] == ["database", "redis", "spark", "coordinator", "worker"]
    assert found["components"][2]["waiting_runs"] == 0
    assert "lake" not in str(found)


async def test_a_catalog_that_is_away_is_shown_beside_any_number_of_others(
    api: Api, table_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "MOST_CATALOGS", 0)
    assert "catalog lake" not in await components(api)
    await report(api, await queued(api, table_id), DependencyKind.CATALOG, "no answer within 60 s")
    assert (await components(api))["catalog lake"]["state"] == "away"


async def test_a_catalog_whose_runs_failed_in_a_row_has_a_remedy(api: Api, table_id: str) -> None:
    run = await queued(api, table_id)
    async with api.container.database.begin() as unit:
        for number in range(TABLES_TO_OPEN):
            failed = replace(run, state=RunState.FAILED, reason="gave_up", table_id=TableId(f"tbl_{number}"))
            await unit.breakers.note_end(failed, Fault.STORE)
    lake = (await components(api))["catalog lake"]
    assert (lake["state"], lake["remedy"]["request"]) == ("failing", "POST /v1/catalogs/lake/resume")


async def test_the_command_line_shows_the_state_and_the_figures(packhouse: Command, api: Api, table_id: str) -> None:
    await report(api, await queued(api, table_id), DependencyKind.SPARK, "connection refused")
    shown = (await packhouse("status")).stdout
    assert "1 run waits for it, and continues once it answers." in shown
    assert "Last error: connection refused." in shown
    figures = (await packhouse("fleet", "show")).stdout
    assert "1, 0 measured, 0 paused" in figures
    assert "1 queued" in figures
