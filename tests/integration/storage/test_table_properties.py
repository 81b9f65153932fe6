"""Properties that a table's metadata has run no code and send no credentials anywhere: api, worker and task."""

import json
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.run import RunState
from tests.integration.storage.conftest import Open
from tests.support.s3_server import S3Server
from tests.support.world import World

MODULE = "packhouse_stranger"


def set_properties(s3: S3Server, **properties: str) -> None:
    """Change the newest metadata file: writers with PyIceberg would act on these properties themselves."""
    newest = max(key for key in s3.stored() if key.endswith(".metadata.json"))
    body = json.loads(s3.get(newest))
    body["properties"] |= properties
    s3.put(newest, json.dumps(body).encode())


async def use_the_table(world: World) -> None:
    """Let every process look at the table: api (health, explain), worker and task (a run)."""
    await world.container.observations.health(SYSTEM, world.table_id)
    await world.container.explain.explain(SYSTEM, world.table_id)
    run = await world.rewrite()
    assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 1), run.detail


@pytest.fixture
def strategy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a class whose module can be imported."""
    (tmp_path / f"{MODULE}.py").write_text("class Strategy:\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield f"{MODULE}.Strategy"
    sys.modules.pop(MODULE, None)


async def test_a_class_that_a_table_names_is_imported_nowhere(s3: S3Server, open_on_s3: Open, strategy: str) -> None:
    """F29: a table's properties name no class that the service imports."""
    async with open_on_s3(days=1) as world:
        set_properties(s3, **{"s3.retry-strategy-impl": strategy, "py-io-impl": strategy})
        await use_the_table(world)
        assert MODULE not in sys.modules


class Stranger:
    """A server that keeps the headers of what it is asked and answers nothing of use."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(str(self.headers.get("Authorization")))
                self.send_error(404)

            do_HEAD = do_PUT = do_POST = do_CONNECT = do_GET  # noqa: N815 - the names that the library calls

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name the library gives it
                """Stay silent."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def stranger() -> Iterator[Stranger]:
    made = Stranger()
    thread = Thread(target=lambda: made.server.serve_forever(poll_interval=0.02))
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


@pytest.mark.parametrize("name", ["s3.endpoint", "s3.proxy-uri"])
async def test_an_address_that_a_table_names_is_never_asked(
    s3: S3Server, open_on_s3: Open, stranger: Stranger, name: str
) -> None:
    async with open_on_s3(days=1) as world:
        set_properties(
            s3, **{name: stranger.url, "s3.connect-timeout": "abc", "client.role-arn": "arn:aws:iam::1:role/x"}
        )
        await use_the_table(world)
        assert stranger.asked == []
