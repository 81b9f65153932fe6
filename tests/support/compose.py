"""deploy/compose.yaml as the real docker-compose reads it: variables, anchors and profiles are resolved."""

import json
import subprocess
from functools import cache
from pathlib import Path
from typing import Any, Final

TOOLS: Final = Path(".cache/deploy-tools")
FILE: Final = Path("deploy/compose.yaml")
PROFILES: Final = ("quickstart", "production", "monitoring")


def tool(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a tool of the environment that scripts/setup makes of tests/deploy/tools."""
    command = [TOOLS / "bin" / name, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def docker_compose(*arguments: str, file: Path = FILE) -> subprocess.CompletedProcess[str]:
    """Run docker-compose on the file; the script of the package hides its exit status, so not by that one."""
    (program,) = TOOLS.glob("lib/python*/site-packages/compose/docker-compose")
    command = [program, "-f", file, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@cache
def services(profile: str) -> dict[str, Any]:
    """Return the services of a profile by name."""
    done = docker_compose("--profile", profile, "config", "--format", "json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["services"]
    return found
