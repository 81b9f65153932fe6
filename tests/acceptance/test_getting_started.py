"""docs/tutorials/getting-started.md is walked by a newcomer: both paths and the wrong turns, on a running server."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.stack import Stack
from tests.support.terminal import Terminal

TEXT = (Path(__file__).parents[2] / "docs/tutorials/getting-started.md").read_text()
WRONG_TURNS = re.findall(r"^\| `(packhouse [^`]+)` \| (\d) \| (.+) \|$", TEXT, re.MULTILINE)
MORE_WRONG_TURNS = [
    ("packhouse policy set web-tables --pattern 'demo.*' --set enabled=true", "2", "has its scope already"),
    ("packhouse policy set other --namespace web --set enabled=true", "2", "--namespace CATALOG.web"),
    ("packhouse policy set demo.web.visits --set 'quiet_hours=[{'", "2", "is not YAML"),
    ("packhouse policy set demo.web.visits --set rewrite.columns=city", "2", "must be a list"),
    ("packhouse policy restore demo.web.visits 9", "2", "policy version 9 does not exist"),
    ("packhouse catalogs discover demo --owner-team web", "2", "add --register"),
    ("packhouse tables register demo.web.visits", "5", "`packhouse tables list`"),
    ("packhouse keys revoke nobody", "4", "`packhouse keys list`"),
    ("packhouse cancel run_nothing", "4", "`packhouse runs list`"),
]
FIRST, *COMMANDS = re.findall(r"^```bash\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
(PROGRAM,) = re.findall(r"^```python\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def place(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Mapping[str, str]]:
    """An empty folder to work in, and the variables that the document has set by then; the tables are written."""
    folder = tmp_path_factory.mktemp("newcomer")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    names = {"PACKHOUSE_URL": stack.url, "PACKHOUSE_API_KEY": stack.key, "LAKE": str(stack.lake)}
    environment = os.environ | names | {"PATH": path, "COLUMNS": "100"}
    run(["bash", "-ec", FIRST], folder, environment)
    return folder, environment


@pytest.fixture(scope="module")
def walked(place: tuple[Path, Mapping[str, str]]) -> str:
    """Walk the path of the terminal; return all that it printed."""
    return run(["bash", "-ec", "\n".join(COMMANDS)], *place)


def run(command: list[str], folder: Path, environment: Mapping[str, str]) -> str:
    done = subprocess.run(
        command, cwd=folder, env=dict(environment), capture_output=True, text=True, check=False, timeout=180
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "told",
    [
        "60 below 96 MiB",
        r"rewrite.target_file_bytes +128MiB +64MiB",
        r"limits.bandwidth +80MB +table",
        r"schedule.min_interval +10m +preset balanced",
        "demo.web.visits is due for a rewrite, and nothing holds it back",
        r"files +60 → 3",
        r"state +skipped *\ndetail +no partition is worth a rewrite",
        r"snapshots +\d+ since .+; at most .+ of files that only old ones need",
        r"expire snapshots +off +0 snapshots? of \d+ can expire",
        r"would delete +60 data, \d+ manifests",
        r"\ndeleted +60 data, \d+ manifests",
        r"limits.parallel_groups +4 +2 +default +namespace demo.web",
        "limits.bandwidth: 80MB → 20MB",
        "backfill until Monday",
        r"role +owner",
        "nothing to do: the server matches the files|not declared",
    ],
)
def test_the_terminal_tells_what_the_document_promises(walked: str, told: str) -> None:
    assert re.search(told, walked), walked


def test_the_same_path_is_open_to_programs(place: tuple[Path, Mapping[str, str]]) -> None:
    told = run([sys.executable, "-c", PROGRAM], *place)
    for part in (
        "value=80000000",
        "origin='table'",
        "60 files became 3",
        "Forbidden",
        "PreconditionFailed",
        "InvalidInput",
    ):
        assert part in told


@pytest.mark.usefixtures("walked")
def test_each_wrong_turn_says_what_to_do(
    place: tuple[Path, Mapping[str, str]], stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(WRONG_TURNS) == TEXT.split("## Common errors")[1].count("| `packhouse")
    monkeypatch.chdir(place[0])
    packhouse = Terminal(stack, {"COLUMNS": "100"})
    for command, code, phrase in [*WRONG_TURNS, *MORE_WRONG_TURNS]:
        done = packhouse(*shlex.split(command)[1:])
        assert (done.returncode, phrase in done.stderr) == (int(code), True), (command, done.stderr)
