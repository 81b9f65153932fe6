"""State, figures, and the pace channel."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from api.schemas.fleet.health import Readiness
from engine.domain.errors import Transient
from engine.domain.fleet.budgets import Budget
from engine.domain.fleet.processes import ProcessKind
from engine.domain.ids import RunId
from engine.services.fleet.health import KEEP_SECONDS, HealthService
from tests.integration.api.access import as_caller
from tests.integration.api.conftest import ADDRESS, Api
from tests.support.fake_clock import FakeClock
from tests.support.world import NAME, Lake

RUN = RunId("run_1")
REPORT = {
    "run_id": "run_2",
    "attempt": 9,
    "group": 0,
    "bytes_read": 10,
    "bytes_written": 5,
    "requests": 2,
    "throttled_seconds": 0.5,
}


async def test_readiness_names_each_dependency_and_is_degraded_without_spark(api: Api) -> None:
    answer = (await api.anonymous.get("/readyz")).json()
    assert answer["status"] == "degraded"
    assert {d["name"]: d["ok"] for d in answer["dependencies"]} == {"database": True, "redis": True, "spark": False}


async def test_f54_readiness_is_degraded_without_a_live_worker_and_tells_who_is_alive(api: Api, table_id: str) -> None:
    """The status code stays that of the database: traffic is served while nobody works on runs."""
    container = api.container

    async def answers() -> str:
        return "answers"

    async def shown() -> Readiness:
        health = HealthService(database=container.database, probes={"spark": answers}, clock=FakeClock())
        return Readiness.from_domain(await health.dependencies(), await health.workforce())

    await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)
    alone = await shown()
    assert (alone.status, alone.workers, alone.coordinators) == ("degraded", 0, 0)
    assert alone.oldest_startable_seconds is not None
    answer = await api.anonymous.get("/readyz")
    assert (answer.status_code, answer.json()["workers"]) == (200, 0)
    for kind in ProcessKind:
        async with container.database.begin() as unit:
            await unit.processes.report(kind, "one")
    whole = await shown()
    assert (whole.status, whole.workers, whole.coordinators) == ("ready", 1, 1)


async def test_f41_a_run_at_work_that_records_nothing_is_seen_in_readiness_and_metrics(api: Api, table_id: str) -> None:
    """F41: a slot that makes no progress is a figure; the status code stays that of the database."""
    run = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)
    async with api.container.database.begin() as unit:
        assert await unit.runs.claim_first([RunId(run["id"])], "w", 60) is not None
    answer = await api.anonymous.get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["longest_silence_seconds"] >= 0
    assert "\npackhouse_longest_silence_seconds " in (await api.anonymous.get("/metrics")).text


async def test_f54_metrics_count_live_processes_and_the_longest_waits(api: Api, table_id: str) -> None:
    await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)
    async with api.container.database.begin() as unit:
        await unit.processes.report(ProcessKind.COORDINATOR, "one")
    text = (await api.anonymous.get("/metrics")).text
    assert 'packhouse_live_processes{process="worker"} 0.0' in text
    assert 'packhouse_live_processes{process="coordinator"} 1.0' in text
    assert 'packhouse_oldest_waiting_seconds{waiting_for="none"}' in text
    assert 'packhouse_leases_lost_total{by="reaper"} 0.0' in text


async def test_without_the_database_nothing_is_ready(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(_: object) -> None:
        raise Transient("the database did not do it: gone")

    monkeypatch.setattr(type(api.container.database), "ping", away)
    response = await api.anonymous.get("/readyz")
    assert response.status_code == 503
    assert response.json()["status"] == "unavailable"
    assert response.json()["workers"] == 0  # the figures are read apart from the ping


async def test_many_questions_at_once_are_one_question_to_each_dependency(api: Api) -> None:
    asked, clock = 0, FakeClock()
    is_asked, may_answer = asyncio.Event(), asyncio.Event()

    async def probe() -> str:
        nonlocal asked
        asked += 1
        is_asked.set()
        await may_answer.wait()
        return f"answer {asked}"

    health = HealthService(database=api.container.database, probes={"spark": probe}, clock=clock)
    questions = [asyncio.create_task(health.dependencies()) for _ in range(50)]
    await is_asked.wait()
    may_answer.set()
    answers = await asyncio.gather(*questions)
    assert {answer[1].detail for answer in answers} == {"answer 1"}
    clock.advance(KEEP_SECONDS)
    assert (await health.dependencies())[1].detail == "answer 2"


async def test_figures_are_counted_once_for_many_scrapes(api: Api) -> None:
    counted, clock = 0, FakeClock()

    async def depth() -> dict[str, int]:
        nonlocal counted
        counted += 1
        return {"waiting": counted}

    health = HealthService(database=api.container.database, probes={}, clock=clock, queue_depth=depth)
    figures = await asyncio.gather(*(health.figures() for _ in range(20)))
    assert {each.queue_depth["waiting"] for each in figures if each.queue_depth} == {1}


async def test_the_description_is_made_once(api: Api) -> None:
    for path, name in (("/docs", "docs_page"), ("/openapi.json", "openapi_text")):
        first, second = await api.anonymous.get(path), await api.anonymous.get(path)
        assert first.content == second.content
        assert getattr(api.app.state, name) == first.content


async def test_no_answer_is_kept_by_caches_or_guessed_at(api: Api) -> None:
    statuses = {"/healthz": 200, "/docs": 200, "/v1/runs": 401, "/nothing": 404, "/openapi.json": 200, "/metrics": 200}
    for path, status in statuses.items():
        response = await api.anonymous.get(path)
        assert response.status_code == status
        assert response.headers["cache-control"] == "no-store"
        assert response.headers["x-content-type-options"] == "nosniff"
        assert "server" not in response.headers


async def test_metrics_count_requests_by_route_template(api: Api) -> None:
    await api.get("/v1/runs/run_nope", status=404)
    await api.call("GET", "/v1/%2e%2e/nothing", status=404)
    text = (await api.anonymous.get("/metrics")).text
    assert 'packhouse_http_requests_total{method="GET",route="/v1/runs/{run_id}",status="404"} 1.0' in text
    assert 'route="unmatched",status="404"} 1.0' in text
    assert "run_nope" not in text


async def test_metrics_show_runs_queue_and_dependencies(api: Api, table_id: str) -> None:
    await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)
    text = (await api.call("GET", "/metrics", status=200)).text
    assert 'packhouse_runs{state="queued"} 1.0' in text
    assert 'packhouse_watched_tables{verdict="new"} 1.0' in text
    assert 'packhouse_tables{catalog="lake",team=""} 1.0' in text
    assert 'packhouse_queue_entries{standing="waiting"} 1.0' in text
    assert 'packhouse_dependency_up{dependency="redis"} 1.0' in text
    assert 'packhouse_dependency_up{dependency="spark"} 0.0' in text


async def test_an_anonymous_scrape_names_no_catalog_team_or_table(api: Api, lake: Lake) -> None:
    table = await api.post("/v1/tables", ADDRESS | {"owner_team": "sales", "labels": {"metrics": "on"}}, status=201)
    await api.get(f"/v1/tables/{table['id']}/health")
    await api.rewrite(table["id"])
    limits = {"parallel_runs": 2, "catalogs": {"lake": {"bandwidth": "1GB/s"}}}
    await api.call("PUT", "/v1/limits", json=limits, headers={"If-Match": '"1"'}, status=200)
    text = (await api.anonymous.get("/metrics")).text
    assert "packhouse_runs_ended_total" in text
    assert 'packhouse_rewrite_bytes_per_second{catalog=""}' in text
    for name in ("sales", '"lake', NAME[1], table["id"]):
        assert name not in text
    everything = (await api.call("GET", "/metrics", status=200)).text
    assert 'packhouse_tables{catalog="lake",team="sales"} 1.0' in everything
    assert f'packhouse_labelled_table_files{{catalog="lake",namespace="{NAME[0]}",table="{NAME[1]}"}}' in everything
    assert 'packhouse_rewrite_bytes_per_second_limit{catalog="lake"}' in everything


async def test_names_in_metrics_need_a_key_of_every_team(api: Api, table_id: str) -> None:
    every, sales = await as_caller(api, "viewer"), await as_caller(api, "viewer", teams=["sales"])
    assert 'packhouse_tables{catalog="lake",team=""} 1.0' in (await every.get("/metrics")).text
    assert table_id not in (await every.get("/metrics")).text
    refused = await sales.get("/metrics")
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    unknown = await api.with_key("pkh_" + 64 * "0").get("/metrics")
    assert (unknown.status_code, unknown.json()["code"]) == (401, "unauthenticated")


async def pace(api: Api, *, status: int, token: str | None = None, **changes: Any) -> Any:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    response = await api.tasks.post("/internal/pace", json=REPORT | changes, headers=headers)
    assert response.status_code == status, response.text
    return response.json()


async def test_a_task_gets_its_share_until_it_is_told_to_stop(api: Api) -> None:
    await api.container.pace.open(RUN, 1, Budget(bytes_per_second=1e6), 1)
    token = api.container.pace_tokens.issue(RUN, 1)
    answer = await pace(api, status=200, token=token)
    assert 0 < answer["bytes_per_second"] <= 1e6
    assert (answer["requests_per_second"], answer["stop"]) == (None, False)
    await api.container.pace.stop(RUN, 1)
    assert (await pace(api, status=200, token=token))["stop"] is True


async def test_a_report_needs_a_token_of_ours_and_makes_sense(api: Api) -> None:
    key = api.client.headers["Authorization"].removeprefix("Bearer ")
    for token in (None, "garbage", "WyJydW5fMSIsMV0.aaaa.bbbb", key):
        assert (await pace(api, status=401, token=token))["code"] == "unauthenticated"
    await pace(api, status=422, token=api.container.pace_tokens.issue(RUN, 1), bytes_read=-1)
    assert "/internal/pace" not in (await api.get("/openapi.json"))["paths"]


async def test_the_token_is_checked_before_the_body_is_read(api: Api) -> None:
    async def body() -> AsyncIterator[bytes]:
        raise AssertionError("the body was read")
        yield b""

    response = await api.tasks.post("/internal/pace", content=body(), headers={"Authorization": "Bearer x"})
    assert response.status_code == 401


async def test_a_task_of_an_attempt_that_is_not_open_goes_on_at_next_to_nothing(api: Api) -> None:
    answer = await pace(api, status=200, token=api.container.pace_tokens.issue(RUN, 7))
    assert 0 < answer["bytes_per_second"] < 10_000
    assert answer["stop"] is False


async def test_metrics_count_ended_runs_and_their_bytes(api: Api, table_id: str) -> None:
    run = await api.rewrite(table_id)
    text = (await api.call("GET", "/metrics", status=200)).text
    labels = '{operation="rewrite",state="succeeded"}'
    assert f"packhouse_runs_ended_total{labels} 1.0" in text
    assert f"packhouse_rewritten_bytes_total{labels} {float(run.result.document['rewritten_bytes'])}" in text
    assert f"packhouse_groups_committed_total{labels} {float(run.result.document['groups_committed'])}" in text
    assert f"packhouse_groups_lost_total{labels} 0.0" in text
    assert 'packhouse_breakers_open{kind="catalog"} 0.0' in text
