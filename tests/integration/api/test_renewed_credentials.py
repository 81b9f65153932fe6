"""Tasks at work get new credentials of their table's storage: with a pace token of the run's current attempt only."""

import asyncio
import itertools
from pathlib import Path

import httpx
import pytest
from itsdangerous import TimestampSigner

from engine.domain.ids import RunId
from engine.services.operations.tasks.pace_tokens import RENEWED_SECONDS, VALID_SECONDS, PaceTokens
from tests.integration.api.conftest import ADDRESS, Api
from tests.support.rest_catalog import RestCatalogServer
from tests.support.world import NAME, make_lake

REPORT = {"group": 0, "bytes_read": 0, "bytes_written": 0, "requests": 0, "throttled_seconds": 0.0}
KEYS = {"s3.access-key-id": "env:TEST_KEY", "s3.secret-access-key": "env:TEST_KEY"}


@pytest.fixture
async def run_id(api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A run that a worker has claimed, of a table whose catalog has keys for S3."""
    monkeypatch.setenv("TEST_KEY", "first")
    made = await asyncio.to_thread(make_lake, tmp_path / "lake", days=1)
    catalog = {"name": "lake", "format": "iceberg", "properties": {**made.properties, **KEYS}}
    await api.post("/v1/catalogs", catalog, status=201)
    table = await api.post("/v1/tables", ADDRESS, status=201)
    run = await api.post("/v1/runs", {"table_id": table["id"], "operation": "rewrite"}, status=202)
    assert await api.container.worker._claims.claim(RunId(run["id"])) is not None
    return str(run["id"])


async def ask(api: Api, token: str | None, status: int) -> dict[str, dict[str, str]]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = await api.tasks.post("/internal/credentials", headers=headers, json={})
    assert answer.status_code == status, answer.text
    body: dict[str, dict[str, str]] = answer.json()
    return body


def token_of(api: Api, run_id: str, attempt: int = 1) -> str:
    return api.container.pace_tokens.issue(RunId(run_id), attempt)


async def test_a_task_gets_the_credentials_that_the_catalog_gives_now(
    api: Api, run_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = (await ask(api, token_of(api, run_id), 200))["storage"]
    assert (given["s3.access-key-id"], given["s3.secret-access-key"]) == ("first", "first")
    assert "uri" not in given
    monkeypatch.setenv("TEST_KEY", "second")
    monkeypatch.setattr("engine.services.operations.tasks.renewals.KEPT_SECONDS", 0.0)
    assert (await ask(api, token_of(api, run_id), 200))["storage"]["s3.access-key-id"] == "second"


@pytest.mark.parametrize("has_endpoint", [True, False])
async def test_vended_credentials_are_renewed_by_the_catalogs_endpoint_and_end_with_the_table(
    api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_endpoint: bool
) -> None:
    """Without such an endpoint the table is loaded again; after a drop there are none."""
    monkeypatch.setattr("engine.services.operations.tasks.renewals.KEPT_SECONDS", 0.0)
    made, given = await asyncio.to_thread(make_lake, tmp_path / "lake", days=1), itertools.count()

    def vend() -> dict[str, str]:
        return {"s3.access-key-id": f"k{next(given)}", "s3.secret-access-key": "s", "s3.session-token": "t"}

    with RestCatalogServer(catalog=made.catalog).running() as server:  # type: ignore[arg-type]
        server.config = vend
        if has_endpoint:
            server.list_endpoints()
            server.credentials = vend
        catalog = {"name": "lake", "format": "iceberg", "properties": {"type": "rest", "uri": server.uri}}
        await api.post("/v1/catalogs", catalog, status=201)
        table = await api.post("/v1/tables", ADDRESS, status=201)
        run = await api.post("/v1/runs", {"table_id": table["id"], "operation": "rewrite"}, status=202)
        assert await api.container.worker._claims.claim(RunId(run["id"])) is not None
        token = token_of(api, run["id"])
        first, second = [(await ask(api, token, 200))["storage"]["s3.access-key-id"] for _ in range(2)]
        assert (first != second, server.asked[-1].endswith("/credentials")) == (True, has_endpoint)
        server.credentials = None
        await asyncio.to_thread(made.catalog.drop_table, NAME)
        assert "is no longer in its catalog" in str(await ask(api, token, 409))


async def test_tasks_that_ask_at_the_same_time_cost_one_load_of_the_table(
    api: Api, run_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[object] = []
    open_table = api.container.renewals._formats.open_table

    async def counted(*args: object, **options: object) -> object:
        loads.append(args)
        return await open_table(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(api.container.renewals._formats, "open_table", counted)
    answers = await asyncio.gather(*(ask(api, token_of(api, run_id), 200) for _ in range(20)))
    assert all(answer == answers[0] for answer in answers)
    assert len(loads) == 1


async def test_a_token_of_the_runs_current_attempt_is_needed(api: Api, run_id: str) -> None:
    key = api.client.headers["Authorization"].removeprefix("Bearer ")
    for token in (None, f"{run_id}.x.y", key):
        await ask(api, token, 401)
    for attempt in (0, 2):
        refused = await ask(api, token_of(api, run_id, attempt), 409)
        assert "is over: its tasks get no credentials" in str(refused)


async def report(api: Api, run_id: str, *, age_seconds: int, attempt: int = 1) -> httpx.Response:
    """Send a task's report with a token of this age."""
    token = aged(api, age_seconds).issue(RunId(run_id), attempt)
    return await api.tasks.post("/internal/pace", json=REPORT, headers={"Authorization": f"Bearer {token}"})


def aged(api: Api, seconds: int) -> PaceTokens:
    """Return the tokens of the app, issued some seconds ago."""

    class Signer(TimestampSigner):
        def get_timestamp(self) -> int:
            return super().get_timestamp() - seconds

    tokens = PaceTokens(secret_keys=api.container.secret_keys)
    tokens._serializer.signer = Signer
    return tokens


async def test_a_token_is_renewed_and_past_its_time_good_only_while_its_attempt_is_at_work(
    api: Api, run_id: str
) -> None:
    assert (await report(api, run_id, age_seconds=0)).json()["token"] is None
    for age in (RENEWED_SECONDS + 2, VALID_SECONDS + 2):
        renewed = (await report(api, run_id, age_seconds=age)).json()["token"]
        assert api.container.pace_tokens.read(renewed).age_seconds < RENEWED_SECONDS
    for attempt, run in ((2, run_id), (1, "run_none")):
        assert (await report(api, run, age_seconds=VALID_SECONDS - 2, attempt=attempt)).status_code == 200
        refused = await report(api, run, age_seconds=VALID_SECONDS + 2, attempt=attempt)
        assert (refused.status_code, refused.json()["code"]) == (401, "unauthenticated")


async def test_the_public_listener_serves_no_task_and_that_of_tasks_nothing_else(api: Api, run_id: str) -> None:
    headers = {"Authorization": f"Bearer {token_of(api, run_id)}"}
    for path in ("pace", "credentials"):
        for client in (api.anonymous, api.client):
            assert (await client.post(f"/internal/{path}", json=REPORT, headers=headers)).status_code == 404
    assert (await api.tasks.get("/v1/tables", headers=headers)).status_code == 404
    assert (await api.tasks.get("/healthz")).status_code == 401
    large = await api.tasks.post("/internal/pace", json={"x": "x" * 2**14}, headers=headers)
    assert large.status_code == 413


async def test_a_run_that_ended_or_does_not_exist_gets_none(api: Api, table_id: str) -> None:
    run = await api.rewrite(table_id)
    await ask(api, token_of(api, run.id, run.attempt), 409)
    await ask(api, token_of(api, "run_none"), 409)


async def test_it_is_not_described(api: Api) -> None:
    assert "/internal/credentials" not in (await api.get("/openapi.json"))["paths"]
