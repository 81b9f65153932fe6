"""The `packhouse-server` command in the test's process: a process of its own takes three seconds of CPU for imports."""

import io
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from subprocess import CompletedProcess
from unittest import mock

import structlog

from api.__main__ import main


def server_command(*arguments: str, **settings: object) -> CompletedProcess[str]:
    """Run a command under these settings by name and no others; return its exit status and output."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PACKHOUSE_")}
    given = {f"PACKHOUSE_{name.upper()}": str(value) for name, value in settings.items()}
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch.dict(os.environ, kept | given, clear=True),
        _logging_as_before(),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        status = main(arguments)
    return CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


@contextmanager
def _logging_as_before() -> Iterator[None]:
    """Undo at the end what the command configures for its process."""
    before, root = structlog.get_config(), logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        yield
    finally:
        structlog.configure(**before)
        root.handlers[:] = handlers
        root.setLevel(level)
