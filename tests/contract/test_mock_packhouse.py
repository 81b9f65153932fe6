"""The mock for users' tests and the real app, under the same tests: what one answers, the other answers.

Only what programs can build on is compared: statuses, codes, pointers, ETags, order, and the models' fields.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from packhouse_client import AsyncPackhouse, RunFailed
from packhouse_client.errors import (
    InvalidInput,
    NotFound,
    PreconditionFailed,
    PreconditionRequired,
    StateConflict,
    Unauthenticated,
)
from packhouse_client.models import RunState
from packhouse_client.testing import MockPackhouse

from engine.domain.ids import RunId
from tests.integration.api.conftest import ADDRESS, Api, api, settings  # noqa: F401 - fixtures
from tests.support.world import make_lake

BODY: dict[str, Any] = ADDRESS
UNKNOWN = "tbl_00000000000000000000000000"


@dataclass
class Server:
    """A server under test: a client with its key, one without, and a way to let a run end well."""

    client: AsyncPackhouse
    anonymous: AsyncPackhouse
    finish: Callable[[str], Awaitable[None]]


@pytest.fixture
async def mock_server() -> AsyncIterator[Server]:
    mock = MockPackhouse(runs_end_as=None)

    async def end(run_id: str) -> None:
        mock.end_run(run_id)

    async with mock.async_client() as client, AsyncPackhouse(transport=mock.transport) as anonymous:
        yield Server(client, anonymous, end)


@pytest.fixture
async def app_server(api: Api, tmp_path: Path) -> AsyncIterator[Server]:  # noqa: F811
    lake = await asyncio.to_thread(make_lake, tmp_path / "lake", days=1)
    await api.post("/v1/catalogs", {"name": "lake", "format": "iceberg", "properties": lake.properties}, status=201)
    key = api.client.headers["authorization"].removeprefix("Bearer ")
    transport = httpx.ASGITransport(app=api.app)

    async def advance(run_id: str) -> None:
        await api.container.worker.advance(RunId(run_id))

    async with (
        AsyncPackhouse("http://packhouse", key, transport=transport) as client,
        AsyncPackhouse("http://packhouse", transport=transport) as anonymous,
    ):
        yield Server(client, anonymous, advance)


@pytest.fixture(params=["mock", "app"])
def server(request: pytest.FixtureRequest) -> Server:
    found: Server = request.getfixturevalue(f"{request.param}_server")
    return found


@pytest.fixture
async def client(server: Server) -> AsyncPackhouse:
    return server.client


@pytest.fixture
async def table(client: AsyncPackhouse) -> str:
    return (await client.tables.register(body=BODY)).id


async def test_without_a_key_nothing_is_answered(server: Server) -> None:
    with pytest.raises(Unauthenticated):
        await server.anonymous.tables.get(UNKNOWN)


async def test_a_table_is_registered_once(client: AsyncPackhouse) -> None:
    created = await client.tables.register.raw(body=BODY | {"owner_team": "sales"})
    assert created.status == 201
    assert created.headers["location"] == f"/v1/tables/{created.document['id']}"
    assert created.document["owner_team"] == "sales"
    with pytest.raises(StateConflict):
        await client.tables.register(body=BODY)


@pytest.mark.parametrize(
    ("body", "pointer"), [(BODY | {"colour": "blue"}, "/colour"), ({"catalog": "lake", "namespace": ["a"]}, "/name")]
)
async def test_a_wrong_registration_names_the_field(client: AsyncPackhouse, body: dict[str, Any], pointer: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        await client.tables.register(body=body)
    assert caught.value.fields[0].pointer == pointer


async def test_a_registered_table_is_found_until_it_is_deleted(client: AsyncPackhouse, table: str) -> None:
    assert (await client.tables.get(table)).name == BODY["name"]
    assert [found.id async for found in client.tables.list(catalog="lake")] == [table]
    assert [found.id async for found in client.tables.list(catalog="other")] == []
    await client.tables.delete(table)
    with pytest.raises(NotFound):
        await client.tables.get(table)


async def test_a_table_is_found_by_its_address(client: AsyncPackhouse, table: str) -> None:
    address = ".".join((BODY["catalog"], *BODY["namespace"], BODY["name"]))
    assert (await client.find_table(address)).id == table
    assert [found.id async for found in client.tables.list(catalog="lake", namespace=BODY["namespace"])] == [table]
    for other in (f"{address}_2", f"other.{address}", f"lake.more.{'.'.join(BODY['namespace'])}.{BODY['name']}"):
        with pytest.raises(NotFound, match=other):
            await client.find_table(other)


async def test_a_policy_is_written_as_it_was_read(client: AsyncPackhouse, table: str) -> None:
    policies = client.table_policies
    with pytest.raises(NotFound):
        await policies.get(table)
    with pytest.raises(PreconditionRequired):
        await policies.replace(table, body={"enabled": False})
    first = await policies.replace.raw(table, body={"enabled": False}, if_none_match="*")
    assert (first.status, first.etag, first.document["version"]) == (201, '"1"', 1)
    second = await policies.replace.raw(table, body={"rewrite": {"min_input_files": 3}}, if_match='"1"')
    assert second.etag == '"2"'
    read = await policies.get.raw(table)
    assert read.document["policy"] == {"rewrite": {"min_input_files": 3}}
    assert (await policies.replace.raw(table, body={"enabled": False}, if_match=read.etag)).etag == '"3"'


async def test_a_policy_that_is_written_again_keeps_its_version(client: AsyncPackhouse, table: str) -> None:
    for status, condition in ((201, {"if_none_match": "*"}), (200, {"if_match": '"1"'})):
        written = await client.table_policies.replace.raw(table, body={"rewrite": {"min_input_files": 3}}, **condition)
        assert (written.status, written.etag, written.document["version"]) == (status, '"1"', 1)


@pytest.mark.parametrize("condition", [{"if_none_match": "*"}, {"if_match": '"7"'}, {"if_match": '"x"'}])
async def test_a_stale_policy_write_is_refused(client: AsyncPackhouse, table: str, condition: dict[str, str]) -> None:
    await client.table_policies.replace(table, body={"enabled": False}, if_none_match="*")
    with pytest.raises(PreconditionFailed):
        await client.table_policies.replace(table, body={"enabled": True}, **condition)


@pytest.mark.parametrize("body", [{"enabld": True}, {"rewrite": {"strategi": "binpack"}}])
async def test_an_unknown_policy_field_is_named(client: AsyncPackhouse, table: str, body: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        await client.table_policies.replace(table, body=body, if_none_match="*")
    (name, inner), *_ = body.items()
    expected = f"/{name}" if inner is True else f"/{name}/{next(iter(inner))}"
    assert caught.value.fields[0].pointer == expected


async def test_a_policy_is_deleted_as_it_was_read(client: AsyncPackhouse, table: str) -> None:
    await client.table_policies.replace(table, body={"enabled": False}, if_none_match="*")
    with pytest.raises(TypeError, match="if_match"):
        await client.table_policies.delete(table)
    with pytest.raises(PreconditionFailed):
        await client.table_policies.delete(table, if_match='"2"')
    await client.table_policies.delete(table, if_match='"1"')
    with pytest.raises(NotFound):
        await client.table_policies.get(table)


async def test_submitting_twice_is_one_run(client: AsyncPackhouse, table: str) -> None:
    first = await client.runs.submit.raw(body={"table_id": table, "operation": "rewrite"})
    again = await client.runs.submit.raw(body={"table_id": table, "operation": "rewrite"})
    assert (first.status, first.document["deduplicated"], first.document["state"]) == (202, False, "queued")
    assert (again.status, again.document["deduplicated"]) == (200, True)
    assert first.document["id"] == again.document["id"]
    assert first.headers["location"] == f"/v1/runs/{first.document['id']}"


async def test_a_preview_answers_a_plan_and_starts_nothing(client: AsyncPackhouse, table: str) -> None:
    plan = await client.runs.preview(body={"table_id": table, "operation": "rewrite"})
    assert (plan.table_id, plan.eligible, plan.groups_total) == (table, True, len(plan.groups))
    assert isinstance(plan.prediction.input_files, int)
    assert [run async for run in client.runs.list()] == []
    with pytest.raises(NotFound):
        await client.runs.preview(body={"table_id": UNKNOWN, "operation": "rewrite"})


async def test_a_key_repeats_its_answer_and_takes_no_other_body(client: AsyncPackhouse, table: str) -> None:
    first = await client.runs.submit.raw(body={"table_id": table, "operation": "rewrite"}, idempotency_key="k")
    again = await client.runs.submit.raw(body={"table_id": table, "operation": "rewrite"}, idempotency_key="k")
    assert (again.status, again.document) == (202, first.document)
    assert again.headers["idempotent-replayed"] == "true"
    other = {"table_id": table, "operation": "rewrite", "force_full": True}
    with pytest.raises(InvalidInput):
        await client.runs.submit(body=other, idempotency_key="k")


@pytest.mark.parametrize("operation", [None, "mow", "purge"])
async def test_a_wrong_submission_is_refused(client: AsyncPackhouse, table: str, operation: str | None) -> None:
    with pytest.raises(NotFound):
        await client.runs.submit(body={"table_id": UNKNOWN, "operation": "rewrite"})
    with pytest.raises(InvalidInput) as caught:
        await client.runs.submit(body={"table_id": table} | ({"operation": operation} if operation else {}))
    assert caught.value.fields[0].pointer in (("/plan_hash", "/confirm") if operation == "purge" else ("/operation",))


async def test_runs_are_listed_newest_first_by_table_and_state(server: Server, table: str) -> None:
    client = server.client
    first = (await client.runs.submit(body={"table_id": table, "operation": "rewrite"})).id
    await client.runs.cancel(first)
    second = (await client.runs.submit(body={"table_id": table, "operation": "rewrite"})).id
    assert [run.id async for run in client.runs.list(table_id=table, page_size=1)] == [second, first]
    assert [run.id async for run in client.runs.list(state=[RunState.CANCELLED])] == [first]


async def test_a_table_with_a_live_run_is_not_deleted(client: AsyncPackhouse, table: str) -> None:
    await client.runs.submit(body={"table_id": table, "operation": "rewrite"})
    with pytest.raises(StateConflict):
        await client.tables.delete(table)


async def test_a_cancelled_run_has_ended_and_is_not_cancelled_again(client: AsyncPackhouse, table: str) -> None:
    run = (await client.runs.submit(body={"table_id": table, "operation": "rewrite"})).id
    cancelled = await client.runs.cancel.raw(run)
    assert (cancelled.status, cancelled.document["state"], cancelled.document["is_terminal"]) == (
        202,
        "cancelled",
        True,
    )
    with pytest.raises(StateConflict):
        await client.runs.cancel(run)
    with pytest.raises(RunFailed):
        await client.wait_for_run(run)


async def test_a_run_is_followed_to_its_end(server: Server, table: str) -> None:
    run = (await server.client.runs.submit(body={"table_id": table, "operation": "rewrite"})).id
    await server.finish(run)
    seen: list[Any] = []
    ended = await server.client.wait_for_run(run, on_event=seen.append)
    assert ended.state is RunState.SUCCEEDED
    assert [event.sequence for event in seen] == list(range(1, len(seen) + 1))
    assert (seen[0].kind, seen[-1].to_state) == ("submitted", RunState.SUCCEEDED)
    assert [event.sequence async for event in server.client.runs.events(run)] == [event.sequence for event in seen]


async def test_what_is_not_there_is_not_found(client: AsyncPackhouse) -> None:
    for call in (client.tables.get, client.table_policies.get, client.tables.delete):
        with pytest.raises(NotFound):
            await call(UNKNOWN)
    for ask in (client.runs.get, client.runs.cancel):
        with pytest.raises(NotFound):
            await ask("run_00000000000000000000000000")
