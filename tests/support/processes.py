"""Parts of Packhouse in processes of their own, with the settings of a test."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import SecretStr

from engine.settings.model import Settings
from engine.settings.values import reveal


def environment_of(settings: Settings, **more: str | int) -> dict[str, str]:
    """Return the environment of a process with these settings, and no other setting of ours.

    `more` are settings by name, in place of those given.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PACKHOUSE_")}
    given = settings.model_dump(exclude_none=True, exclude_defaults=True) | more
    shown = {name: reveal(value) if isinstance(value, SecretStr) else value for name, value in given.items()}
    return kept | {f"PACKHOUSE_{name.upper()}": str(value) for name, value in shown.items()}


@contextmanager
def child(environment: dict[str, str], *module: str, log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Run `python -m …`, its output appended to the log; kill it at the end if it still lives."""
    with log.open("ab") as output:
        process = subprocess.Popen([sys.executable, "-m", *module], env=environment, stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.kill()
        process.wait(timeout=30)


def command_lines() -> str:
    """Return the command lines of all processes of this machine, as every user of it can read them."""
    lines = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # the process has ended
            lines.append(file.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return "\n".join(lines)
