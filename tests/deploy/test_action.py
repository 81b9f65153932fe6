"""The action for GitHub: its steps against a server, as a runner executes them, and the workflows of its page."""

import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml

from engine.embedded.demo_table import write_demo_table
from tests.support.http_servers import serving
from tests.support.stack import Stack
from tests.support.terminal import Terminal

ROOT = Path(__file__).parents[2]
ACTION = ROOT / "clients/action"
BOT = "github-actions[bot]"
COMMENTS = "/repos/shop/lake/issues/7/comments"
POLICY = "kind: policy\nname: action\nscope: {{kind: catalog, catalog: action}}\npolicy: {{priority: {}}}\n"


@dataclass
class GitHub:
    """Comments of one pull request, by id."""

    url: str = ""
    comments: dict[int, dict[str, Any]] = field(default_factory=dict)

    def by_bot(self) -> list[str]:
        return [each["body"] for each in self.comments.values() if each["user"] and each["user"]["login"] == BOT]


@pytest.fixture
def github() -> Iterator[GitHub]:
    made = GitHub()
    marker = "<!-- packhouse:packhouse -->\nof another author"
    made.comments = {number: {"id": number, "user": {"login": "x"}, "body": marker} for number in range(1, 121)}
    made.comments[3] |= {"user": None, "body": None}

    class Handler(BaseHTTPRequestHandler):
        def answer(self, document: Any) -> None:
            assert self.headers["Authorization"] == "Bearer a-token"
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(document).encode())

        def body(self) -> Any:
            return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            assert parts.path == COMMENTS
            asked = {name: int(values[0]) for name, values in parse_qs(parts.query).items()}
            first = asked["per_page"] * (asked["page"] - 1)
            self.answer(list(made.comments.values())[first : first + asked["per_page"]])

        def do_POST(self) -> None:
            assert self.path == COMMENTS
            number = len(made.comments) + 1
            made.comments[number] = {"id": number, "user": {"login": BOT}, **self.body()}
            self.answer(made.comments[number])

        def do_PATCH(self) -> None:
            number = int(self.path.removeprefix("/repos/shop/lake/issues/comments/"))
            made.comments[number] |= self.body()
            self.answer(made.comments[number])

        def log_message(self, *_: object) -> None:
            pass

    with serving(Handler) as url:
        made.url = url
        yield made


@dataclass
class Runner:
    """Executes the steps of the action; `temporary` stays, so that the command is installed once."""

    temporary: Path
    folder: Path
    github: GitHub

    def __call__(self, **inputs: str) -> tuple[int, Mapping[str, str], str]:
        """Return the code of the first step that fails or 0, the outputs, and the log."""
        action = yaml.safe_load((ACTION / "action.yml").read_text())
        values = {f"inputs.{name}": each.get("default", "") for name, each in action["inputs"].items()}
        values |= {f"inputs.{name.replace('_', '-')}": value for name, value in inputs.items()}
        values |= {
            "github.action_path": str(ACTION),
            "github.event.pull_request.number": "7",
            "inputs.token": "a-token",
        }
        log = ""
        for step in action["runs"]["steps"]:
            if step["name"].startswith("Install") and (self.temporary / "packhouse").exists():
                continue
            files = {name: self.folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
            for file in files.values():
                file.write_text("")
            given = {name: replaced(str(value), values) for name, value in step["env"].items()}
            environment = os.environ | {name: str(file) for name, file in files.items()} | given
            environment |= {"GITHUB_API_URL": self.github.url, "GITHUB_REPOSITORY": "shop/lake"}
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                env=environment | {"RUNNER_TEMP": str(self.temporary)},
                cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=300,
            )  # fmt: skip
            log += done.stdout
            lines = (line.partition("=") for line in files["GITHUB_OUTPUT"].read_text().splitlines())
            values |= {f"steps.{step.get('id')}.outputs.{name}": value for name, _, value in lines}
            if done.returncode != 0:
                break
        outputs = {name: replaced(each["value"], values) for name, each in action["outputs"].items()}
        return done.returncode, outputs, log


def replaced(text: str, values: Mapping[str, str]) -> str:
    """Return a text with the values of its expressions; an output of a step that did not set it is empty."""
    return re.sub(
        r"\$\{\{ (steps\.)?(.*?) \}\}",
        lambda match: values.get(match[1] + match[2], "") if match[1] else values[match[2]],
        text,
    )


def test_the_action_checks_comments_once_and_fails_on_refusals(
    stack: Stack, github: GitHub, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    admin = Terminal(stack)
    properties, name = dict(stack.catalog_properties), "action.shop.orders"
    admin.json("catalogs", "create", "action", *(f"--property={key}={value}" for key, value in properties.items()))
    write_demo_table(catalog_properties=properties, name=name, files=2, partitions=1, total_bytes=2**20)
    admin.json("tables", "register", name)
    planner = admin.json("keys", "create", "action", "--role", "planner")["secret"]
    admin.json("export", "-f", str(tmp_path / "lakehouse"))
    runner = Runner(tmp_path_factory.mktemp("runner"), tmp_path, github)

    def check(**inputs: str) -> tuple[int, str, str]:
        code, outputs, log = runner(**{"folder": "lakehouse", "url": stack.url, "api_key": planner} | inputs)
        assert planner not in log
        return code, outputs["result"], log

    assert check()[:2] == (0, "none")
    assert github.by_bot() == []
    file = tmp_path / "lakehouse/policy.yaml"
    file.write_text(POLICY.format("high"))
    for options, code in (({}, 0), ({"fail_on_differences": "true"}, 9)):
        assert check(**options)[:2] == (code, "differences")
        (comment,) = github.by_bot()
        assert "@@ create policy action @@" in comment
    assert check(command="drift", comment="false")[:2] == (0, "differences")
    file.write_text(POLICY.format('"\n\n   ::set-output name=result::none\n\n"'))
    code, result, log = check()
    assert (code, result) == (1, "refused"), log
    assert re.search(r"^::stop-commands::(\w+)$(?s:.*set-output.*)^::\1::$", log, re.MULTILINE), log
    assert "**Refused**" in github.by_bot()[0]
    file.unlink()
    assert check()[:2] == (0, "none")
    assert ["no change" in comment for comment in github.by_bot()] == [True]
    assert check(command="delete")[0] == 2
    assert check(api_key="pkh_" + "0" * 64)[:2] == (7, "failed")


def test_workflows_of_the_page_are_valid(tmp_path: Path) -> None:
    text = (ROOT / "docs/how-to/policies-in-ci.md").read_text()
    workflows = re.findall(r"^```yaml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert len(workflows) == 3
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "clients").mkdir()
    (tmp_path / "clients/action").symlink_to(ACTION)
    for number, workflow in enumerate(workflows):
        local = re.sub(r"OWNER/packhouse/clients/action@v[0-9.]+", "./clients/action", workflow)
        (folder / f"{number}.yml").write_text(local)
    assert linted(tmp_path) == (0, "")
    (folder / "0.yml").write_text((folder / "0.yml").read_text().replace("folder: lakehouse", "foldr: lakehouse"))
    code, found = linted(tmp_path)
    assert (code, found.count('"foldr"'), 'missing input "folder"' in found) == (1, 1, True), found


def linted(folder: Path) -> tuple[int, str]:
    command = [ROOT / ".cache/tools/actionlint", "-no-color", "-oneline"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout + done.stderr
