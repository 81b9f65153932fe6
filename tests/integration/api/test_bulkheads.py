"""One table whose store accepts connections and never answers, asked for by many: what others and they are answered."""

import asyncio
import threading
from pathlib import Path

import pytest

from engine.settings.model import Settings
from tests.integration.api.conftest import ADDRESS, Api
from tests.support.settings import settings_of
from tests.support.tarpit import Tarpit
from tests.support.world import NAME, Lake, make_lake

PER_TABLE = 3


@pytest.fixture
def settings(sqlite_url: str, redis_url: str, tmp_path: Path, request: pytest.FixtureRequest) -> Settings:
    """Few threads for each table; a test gives the deadline of reads."""
    seconds = getattr(request, "param", 60)
    return settings_of(
        tmp_path / "state",
        database_url=sqlite_url,
        redis_url=redis_url,
        threads_per_table=PER_TABLE,
        read_seconds=seconds,
    )


@pytest.fixture
async def lake(api: Api, tarpit: Tarpit, tmp_path: Path) -> Lake:
    """A lake whose tables on S3 are on a server that never answers; its table `events` is on disk."""
    made = await asyncio.to_thread(make_lake, tmp_path / "lake", days=2)
    body = {"name": "lake", "format": "iceberg", "properties": made.properties | tarpit.properties()}
    body |= {"outside_files": "allowed_locations", "allowed_locations": [f"file://{tmp_path}/lake", "s3://tarpit"]}
    await api.post("/v1/catalogs", body, status=201)
    return made


@pytest.fixture
async def stuck(api: Api, lake: Lake, tarpit: Tarpit) -> str:
    """A registered table whose storage never answers from now on."""
    await asyncio.to_thread(lake.add_twin, "stuck")
    table = await api.post("/v1/tables", ADDRESS | {"name": "stuck"}, status=201)
    await asyncio.to_thread(tarpit.swallow, lake.catalog, NAME[0], "stuck")
    return str(table["id"])


@pytest.fixture
async def elsewhere(api: Api, tmp_path: Path) -> str:
    """A registered table of another catalog."""
    other = await asyncio.to_thread(make_lake, tmp_path / "other", days=1)
    body = {"name": "other", "format": "iceberg", "properties": other.properties | {"catalog-name": "lake"}}
    await api.post("/v1/catalogs", body, status=201)
    return str((await api.post("/v1/tables", ADDRESS | {"catalog": "other"}, status=201))["id"])


@pytest.mark.parametrize("trickles", [False, True])
async def test_other_tables_are_answered_while_twenty_requests_for_one_are_held(
    api: Api, table_id: str, elsewhere: str, stuck: str, tarpit: Tarpit, *, trickles: bool
) -> None:
    """F31: a store that never answers holds the threads of its own table only."""
    tarpit.trickles = trickles
    before = _threads()
    held = [asyncio.create_task(api.client.get(f"/v1/tables/{stuck}/health")) for _ in range(20)]
    await asyncio.to_thread(tarpit.wait_accepted, PER_TABLE)
    await api.get(f"/v1/tables/{table_id}/health")
    await api.get(f"/v1/tables/{elsewhere}/health")
    await api.get(f"/v1/tables/{table_id}/explain")
    assert not any(task.done() for task in held)
    assert tarpit.accepted == PER_TABLE
    assert len(_threads() - before) <= 2 * PER_TABLE  # of the stuck table, and of another
    for task in held:
        task.cancel()
    await asyncio.gather(*held, return_exceptions=True)


def _threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "foreign"}


@pytest.mark.parametrize("settings", [0.5], indirect=True)
async def test_callers_of_the_table_learn_what_did_not_answer_and_when_to_ask_again(
    api: Api, stuck: str, tarpit: Tarpit
) -> None:
    answers = await asyncio.gather(*(api.client.get(f"/v1/tables/{stuck}/health") for _ in range(20)))
    assert {answer.status_code for answer in answers} == {503}
    assert {answer.headers["Retry-After"] for answer in answers} == {"10"}
    details = {answer.json()["detail"].partition(" calls")[0] for answer in answers}
    assert details == {
        "table lake.lake.stuck did not answer within 0.5 seconds",
        f"busy: table lake.lake.stuck has {PER_TABLE}",
    }
    answer = await api.client.get(f"/v1/tables/{stuck}/health")
    assert answer.json()["detail"].startswith(
        f"busy: table lake.lake.stuck has {PER_TABLE} calls that have not answered"
    )
    explained = await api.get(f"/v1/tables/{stuck}/explain")
    assert "busy: table lake.lake.stuck" in str(explained)
    assert (
        tarpit.accepted <= PER_TABLE
    )  # a call may still wait for its S3 client while requests of others are under way
