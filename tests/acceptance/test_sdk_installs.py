"""The SDKs install from a clone into empty environments by the documented commands, and call a running server.

The commands are those of docs/reference/clients.md and clients/typescript/README.md. Dependencies come from the package
index in the newest versions that fit, not from the lock. The clone has what is committed. Each takes half a minute.
"""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.stack import Stack

ROOT = Path(__file__).parents[2]
CLONE_URL = "file:///path/to/packhouse"
PIP_COMMANDS = re.findall(r"^pip install .+$", (ROOT / "docs/reference/clients.md").read_text(), re.MULTILINE)
(NPM_COMMANDS,) = re.findall(
    r"Install it from a clone:\n\n```\n(.*?)^```",
    (ROOT / "clients/typescript/README.md").read_text(),
    re.DOTALL | re.MULTILINE,
)
PYTHON_PROGRAM = """
import packhouse_client

with packhouse_client.Packhouse.from_environment() as client:
    print(packhouse_client.__file__, client.access.whoami().subject)
"""
NODE_PROGRAM = """
import { createClient } from "@packhouse/client";

const { PACKHOUSE_URL: baseUrl, PACKHOUSE_API_KEY: apiKey } = process.env;
const caller = await createClient({ baseUrl, apiKey }).get("/v1/whoami");
console.log(import.meta.resolve("@packhouse/client"), caller.subject);
"""
FROM_THE_CHECKOUT = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "NODE_PATH"}


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of the repository, named as the documents name it."""
    folder = tmp_path_factory.mktemp("clone") / "packhouse"
    run("git", "clone", "--quiet", ROOT, folder)
    return folder


def run(*command: str | Path, cwd: Path | None = None, **variables: str) -> str:
    kept: Mapping[str, str] = {name: value for name, value in os.environ.items() if name not in FROM_THE_CHECKOUT}
    done = subprocess.run(
        command, cwd=cwd, env={**kept, **variables}, capture_output=True, text=True, check=False, timeout=240
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_documents_have_two_ways_with_pip() -> None:
    assert [CLONE_URL in command for command in PIP_COMMANDS] == [False, True]


@pytest.mark.deep
@pytest.mark.parametrize("command", PIP_COMMANDS, ids=["path", "git"])
def test_the_python_sdk_works_in_an_empty_environment(clone: Path, stack: Stack, tmp_path: Path, command: str) -> None:
    environment = tmp_path / "environment"
    run(sys.executable, "-m", "venv", environment)
    path = f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}"
    run("bash", "-ec", command.replace(CLONE_URL, clone.as_uri()), cwd=clone, PATH=path)
    told = run(
        *("python", "-c", PYTHON_PROGRAM), cwd=tmp_path, PATH=path, PACKHOUSE_URL=stack.url, PACKHOUSE_API_KEY=stack.key
    )
    place, subject = told.split()
    assert Path(place).is_relative_to(environment)
    assert subject == "key:admin"


@pytest.mark.deep
def test_the_typescript_sdk_works_in_an_empty_folder(clone: Path, stack: Stack) -> None:
    folder = clone.parent
    run("bash", "-ec", NPM_COMMANDS, cwd=folder)
    (folder / "program.mjs").write_text(NODE_PROGRAM)
    told = run("node", "program.mjs", cwd=folder, PACKHOUSE_URL=stack.url, PACKHOUSE_API_KEY=stack.key)
    place, subject = told.split()
    assert place.startswith(f"{folder.as_uri()}/node_modules/@packhouse/client/")
    assert subject == "key:admin"
