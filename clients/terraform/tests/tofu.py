"""Run a real OpenTofu with the provider in a folder of its own, against a real Packhouse."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

from tests.support.stack import Stack

ROOT: Final = Path(__file__).parents[3]
BIN: Final = ROOT / ".cache/terraform"
TOOL: Final = os.environ.get("TOFU", ROOT / ".cache/tools/tofu")
"""The program that is tested: `TOFU` may name another one, such as Terraform."""
HEAD: Final = """
terraform {
  required_providers {
    packhouse = { source = "packhouse/packhouse" }
  }
}
provider "packhouse" {}
"""


@dataclass(frozen=True, slots=True)
class Result:
    """An ended command: its exit code and all that it printed, on one line."""

    code: int
    text: str


@dataclass(frozen=True, slots=True)
class Tofu:
    """One configuration with its state."""

    folder: Path
    server: Stack

    def run(self, *words: str, **environment: str) -> Result:
        """Run a command."""
        (self.folder / "rc").write_text(
            f'provider_installation {{\n dev_overrides {{ "packhouse/packhouse" = "{BIN}" }}\n direct {{}}\n}}\n'
        )
        environment = {
            **os.environ,
            "TF_CLI_CONFIG_FILE": str(self.folder / "rc"),
            "TF_IN_AUTOMATION": "1",
            "PACKHOUSE_URL": self.server.url,
            "PACKHOUSE_API_KEY": self.server.key,
            **environment,
        }
        command = [TOOL, *words]
        ended = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=120, check=False
        )
        return Result(ended.returncode, " ".join((ended.stdout + ended.stderr).replace("│", " ").split()))

    def write(self, configuration: str, head: str = HEAD) -> None:
        """Replace the configuration."""
        (self.folder / "main.tf").write_text(head + configuration)

    def apply(self, configuration: str | None = None) -> str:
        """Apply the configuration, which has to work; return what was printed."""
        if configuration is not None:
            self.write(configuration)
        ended = self.run("apply", "-auto-approve", "-no-color")
        assert ended.code == 0, ended.text
        return ended.text

    def refusal(self, command: str = "plan", configuration: str | None = None, **environment: str) -> str:
        """Return what a command that has to fail printed."""
        if configuration is not None:
            self.write(configuration)
        approve = ("-auto-approve",) if command in ("apply", "destroy") else ()
        ended = self.run(command, "-no-color", *approve, **environment)
        assert ended.code == 1, ended.text
        return ended.text

    def actions(self) -> dict[str, list[str]]:
        """Return what a plan would do, by address; objects without a change are left out."""
        planned = self.run("plan", "-no-color", "-out=planned")
        assert planned.code == 0, planned.text
        changes = self.json("show", "-json", "planned")["resource_changes"]
        found = {each["address"]: each["change"]["actions"] for each in changes}
        return {address: actions for address, actions in found.items() if actions != ["no-op"]}

    def attributes(self, address: str) -> dict[str, Any]:
        """Return the attributes of an object of the state."""
        resources = self.json("show", "-json")["values"]["root_module"]["resources"]
        found: dict[str, Any] = next(each["values"] for each in resources if each["address"] == address)
        return found

    def json(self, *words: str) -> Any:
        """Return the JSON that a command prints."""
        return json.loads(self.run(*words).text)


@dataclass(frozen=True, slots=True)
class Api:
    """Another caller of the API, who changes objects behind the back of OpenTofu."""

    server: Stack

    def get(self, path: str) -> Any:
        """Return an object; None without it."""
        answer = self._send("GET", path)
        return None if answer.status_code == 404 else answer.json()

    def change(self, method: str, path: str, body: Any = None) -> Any:
        """Send a change with the object's ETag."""
        etag = self._send("GET", path).headers.get("etag", "")
        answer = self._send(method, path, json=body, headers={"If-Match": etag})
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def post(self, path: str, body: Any = None) -> None:
        """Send a POST."""
        assert self._send("POST", path, json=body).is_success

    def accepts(self, key: str) -> bool:
        """Return whether a key is valid."""
        answer = httpx.get(f"{self.server.url}/v1/whoami", headers={"Authorization": f"Bearer {key}"})
        return answer.status_code == 200

    def _send(self, method: str, path: str, json: Any = None, headers: dict[str, str] | None = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.server.key}", **(headers or {})}
        return httpx.request(method, self.server.url + path, json=json, headers=headers)
