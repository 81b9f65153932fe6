"""A server that lives no longer than the tests: a shell holds a pipe to them, and ends the server when it closes."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

_SHELL: Final = """\
trap "" TERM INT HUP
signal=$1
shift
"$@" &
told=$(cat)
kill -$signal $!
wait
[ -n "$told" ] || rm -rf "$0"
"""
"""If nothing was told before the pipe closes, the tests were killed: nobody needs the data, which is in memory."""


def supervised(command: Sequence[str | Path], folder: Path, *, signal: str, **options: Any) -> subprocess.Popen[bytes]:
    """Start a server that ends by a signal, with its files and its log in a folder; `options` are those of `Popen`."""
    with (folder / "log").open("ab") as output:
        return subprocess.Popen(
            ["/bin/sh", "-c", _SHELL, folder, signal, *command],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            **options,
        )


def halt(process: subprocess.Popen[bytes] | None) -> None:
    """End a server if there is one, and wait until it has ended; its files stay."""
    if process is not None and process.stdin is not None:
        process.stdin.write(b"halt\n")
        process.stdin.close()
        process.wait(timeout=30)
