"""The `packhouse` command with the settings of a person at a terminal: in this process, or as a process of its own.

A process takes a second of CPU to import everything. In this process a command gets its arguments, variables and
input as the installed command does, and its exit code and output are taken from the same function.
"""

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final
from unittest import mock

from packhouse.main import main

from tests.support.stack import Stack

COMMAND: Final = Path(sys.executable).parent / "packhouse"
Done = subprocess.CompletedProcess[str]


@dataclass(frozen=True)
class Terminal:
    """Run commands against one server; `changes` replace variables of the environment."""

    stack: Stack
    changes: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str, text: str = "") -> Done:
        """Run a command in this process."""
        out, err = io.StringIO(), io.StringIO()
        with (
            mock.patch.dict(os.environ, self.environment),
            mock.patch.object(sys, "argv", [str(COMMAND), *arguments]),
            mock.patch.object(sys, "stdin", io.StringIO(text)),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            return Done(arguments, exit_code(), out.getvalue(), err.getvalue())

    def process(self, *arguments: str, text: str = "") -> Done:
        """Run the installed command."""
        environment = os.environ | self.environment
        return subprocess.run(
            [COMMAND, *arguments], env=environment, input=text, capture_output=True, text=True, check=False, timeout=120
        )

    def json(self, *arguments: str) -> Any:
        """Run a command that has to work, and return its document."""
        done = self(*arguments, "--output", "json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def having(self, **changes: str) -> "Terminal":
        """Return a terminal with other variables."""
        return replace(self, changes={**self.changes, **changes})

    @property
    def environment(self) -> dict[str, str]:
        """The variables that differ from those of the tests."""
        own = {"PACKHOUSE_URL": self.stack.url, "PACKHOUSE_API_KEY": self.stack.key, "COLUMNS": "200"}
        return {**own, **self.changes}


def exit_code() -> int:
    """Run the command of `sys.argv` and return the code that its process would exit with."""
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0
