"""`packhouse catalogs grant`, `grants` and `revoke`, and grants declared in files, against a served app."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import uvicorn
import yaml

from tests.integration.api.conftest import Api
from tests.support.eventually import eventually
from tests.support.world import Lake

COMMAND = Path(sys.executable).parent / "packhouse"
Run = Callable[..., Awaitable["subprocess.CompletedProcess[str]"]]


@pytest.fixture
async def packhouse(api: Api) -> AsyncIterator[Run]:
    """Run commands with the admin key."""
    server = uvicorn.Server(uvicorn.Config(api.app, port=0, lifespan="off", log_config=None))
    serving = asyncio.create_task(server.serve())
    await asyncio.to_thread(eventually, lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    key = api.client.headers["Authorization"].removeprefix("Bearer ")
    environment = os.environ | {
        "PACKHOUSE_URL": f"http://127.0.0.1:{port}",
        "PACKHOUSE_API_KEY": key,
        "COLUMNS": "200",
    }

    async def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return await asyncio.to_thread(
            subprocess.run, [COMMAND, *arguments], env=environment, capture_output=True, text=True, check=False
        )

    yield run
    server.should_exit = True
    await serving


async def document(run: Run, *arguments: str) -> Any:
    done = await run(*arguments, "--output", "json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


async def test_grants_are_given_listed_and_revoked(packhouse: Run, lake: Lake) -> None:
    grant = ["catalogs", "grant", "lake", "--team", "shop", "--namespace", "shop", "--right"]
    await document(packhouse, *grant, "register")
    given = (await document(packhouse, *grant, "discover"))["grants"]
    assert given == [{"team": "shop", "namespaces": ["shop"], "rights": ["discover", "register"]}]
    assert "discover, register" in (await packhouse("catalogs", "grants", "lake")).stdout
    assert "shop: discover+register" in (await packhouse("catalogs", "list")).stdout
    missing = await packhouse("catalogs", "revoke", "lake", "--team", "shop", "--namespace", "other")
    assert missing.returncode == 4
    assert (await document(packhouse, "catalogs", "revoke", "lake", "--team", "shop"))["grants"] == []


async def test_discover_says_whether_a_pattern_or_the_catalog_has_no_tables(
    packhouse: Run, lake: Lake, tmp_path: Path
) -> None:
    done = await packhouse("catalogs", "discover", "lake", "--pattern", "nothing.*")
    assert "no table matches 'nothing.*'" in done.stderr
    warehouse = ["-p", "type=filesystem", "-p", f"warehouse={tmp_path}/missing"]
    await document(packhouse, "catalogs", "create", "empty", "--format", "paimon", *warehouse)
    done = await packhouse("catalogs", "discover", "empty")
    assert "the catalog has no tables that you may see: `packhouse catalogs check empty` shows" in done.stderr


async def test_files_declare_grants_or_leave_them_alone(packhouse: Run, lake: Lake, tmp_path: Path) -> None:
    await document(packhouse, "catalogs", "grant", "lake", "--team", "shop", "--right", "register")
    await document(packhouse, "export", "--folder", str(tmp_path / "files"))
    path = tmp_path / "files" / "catalogs" / "lake.yaml"
    declared = yaml.safe_load(path.read_text())
    assert declared["grants"] == [{"team": "shop", "namespaces": ["*"], "rights": ["register"]}]

    async def applied(**changes: Any) -> Any:
        path.write_text(
            yaml.safe_dump({name: value for name, value in (declared | changes).items() if value is not None})
        )
        steps = (await document(packhouse, "apply", "--folder", str(tmp_path / "files")))["steps"]
        return len(steps), (await document(packhouse, "catalogs", "grants", "lake"))["grants"]

    assert await applied(grants=None) == (0, declared["grants"])
    reading = [{"team": "*", "namespaces": ["shop"], "rights": ["read"]}]
    assert await applied(grants=reading, allowed_locations=["/tmp"]) == (1, reading)
    assert await applied(grants=reading, allowed_locations=["/tmp"]) == (0, reading)
    assert await applied(grants=[], allowed_locations=["/tmp"]) == (1, [])
