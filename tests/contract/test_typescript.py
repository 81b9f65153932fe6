"""The TypeScript SDK: types as the spec says, its own tests, its package, and its use of a running server."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from engine.embedded.demo_table import write_demo_table
from tests.support.hostile.behaviours import Behaviour, answer, drip, flood, http_ways, once
from tests.support.hostile.servers import HostileServer
from tests.support.stack import Stack

FOLDER = Path(__file__).parents[2] / "clients" / "typescript"
LABEL = "// Generated from openapi.yaml by clients/typescript/generate.mjs; do not edit."


def npm(*command: str, **variables: str) -> str:
    """Run one command of the package; it has to work."""
    done = subprocess.run(
        ["npm", "--silent", *command],
        cwd=FOLDER,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def unit_tests() -> str:
    """The output of `npm test`, which compares the types with the spec, compiles strictly, and runs the unit tests."""
    return npm("test")


@pytest.fixture(scope="module")
def table_id(stack: Stack) -> Iterator[str]:
    """A registered table of small files, under names that no other test uses, which is forgotten afterwards."""
    properties = stack.catalog_properties
    write_demo_table(
        catalog_properties=properties, name="typescript.shop.events", files=24, partitions=2, total_bytes=2**20
    )
    with httpx.Client(base_url=stack.url, headers={"Authorization": f"Bearer {stack.key}"}) as client:
        catalog = {"name": "typescript", "format": "iceberg", "properties": properties}
        client.post("/v1/catalogs", json=catalog).raise_for_status()
        address = {"catalog": "typescript", "namespace": ["shop"], "name": "events"}
        table_id = str(client.post("/v1/tables", json=address).raise_for_status().json()["id"])
        yield table_id
        client.delete(f"/v1/tables/{table_id}").raise_for_status()


def test_the_sdk_is_what_the_spec_says_and_its_own_tests_pass(unit_tests: str) -> None:
    assert "# fail 0" in unit_tests
    assert "# skipped 0" in unit_tests


def test_the_sdk_works_against_a_running_server(unit_tests: str, stack: Stack, table_id: str) -> None:
    variables = {"PACKHOUSE_URL": stack.url, "PACKHOUSE_API_KEY": stack.key, "PACKHOUSE_TABLE": table_id}
    output = npm("run", "test:service", **variables)
    assert "# fail 0" in output
    assert "# pass 0" not in output


def test_f59_a_call_ends_within_its_limits(unit_tests: str) -> None:
    """One call to each hostile server, and one stream of events where that is another path (F59)."""
    stream = answer(b"", kind="text/event-stream").partition(b"Content-Length")[0] + b"\r\n"
    streams = {"drip": drip(stream, b":\n"), "endless": flood(stream + b"data: ", b"x")}
    with ExitStack() as stack:
        elsewhere = stack.enter_context(HostileServer(once(answer(b"{}"))).running())
        ways = http_ways(f"{elsewhere.url}/v1/tables")
        cells = {
            f"{behaviour}: {name}": way for behaviour in Behaviour for name, way in ways.get(behaviour, {}).items()
        }
        cells |= {f"stream: {name}": way for name, way in streams.items()}
        cells |= {f"stream: {name}": cells[name] for name in ("huge: body", "redirect: 307")}
        urls = {name: stack.enter_context(HostileServer(way).running()).url for name, way in cells.items()}
        output = npm("run", "test:hostile", PACKHOUSE_HOSTILE=json.dumps(urls))
    assert f"# pass {len(cells)}" in output
    assert elsewhere.received == []


def test_the_package_holds_all_that_it_exports(unit_tests: str) -> None:
    [packed] = json.loads(npm("pack", "--dry-run", "--json", "--ignore-scripts"))
    held = {file["path"] for file in packed["files"]}
    exports = json.loads((FOLDER / "package.json").read_text())["exports"]
    wanted = {path for entry in exports.values() for path in ([entry] if isinstance(entry, str) else entry.values())}
    assert {path.removeprefix("./") for path in wanted} | {"README.md", "LICENSE"} <= held
    assert [path for path in held if path.startswith(("test/", "build/", "node_modules/"))] == []


def test_generated_types_are_labelled() -> None:
    files = sorted((FOLDER / "src/generated").iterdir())
    assert files
    assert [path.name for path in files if path.read_text().splitlines()[0] != LABEL] == []


def test_the_lock_is_for_any_registry() -> None:
    packages = json.loads((FOLDER / "package-lock.json").read_text())["packages"]
    assert [name for name, entry in packages.items() if "resolved" in entry] == []
    assert [name for name, entry in packages.items() if name and "integrity" not in entry] == []
