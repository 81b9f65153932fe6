"""Edit a document in $EDITOR until the server accepts it.

A refused document is opened again with its errors on top, as comments. Saving it unchanged, or empty, cancels. The text
is never lost: when the command ends without writing it, it prints the path of the file.
"""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import yaml
from packhouse_client import ApiError
from packhouse_client.errors import InvalidInput

from packhouse.documents import yaml_reading
from packhouse.exit_codes import ExitCode
from packhouse.output import as_yaml
from packhouse.problems import CommandError, field_lines

T = TypeVar("T")
_HEAD: Final = "# {name}: settings in this file are set, all others are inherited. Save it empty to cancel.\n"
_MARK: Final = "#! "


def edit(name: str, document: Mapping[str, Any], write: Callable[[Mapping[str, Any]], T]) -> T | None:
    """Open a document in the editor; return the result of `write` for it, None without a change.

    Raises:
        CommandError: no editor can be started, or a refusal that editing can't fix; the file is kept and named.
    """
    text = given = _HEAD.format(name=name) + (as_yaml(document) + "\n" if document else "")
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", prefix="packhouse-", delete=False, encoding="utf-8") as file:
        path = Path(file.name)
    while True:
        path.write_text(text, encoding="utf-8")
        edited = _without_marks(_edited(path))
        if edited == given or not _meant(edited):
            path.unlink()
            return None
        given = edited
        try:
            written = write(_read(edited))
        except (InvalidInput, _Unreadable) as error:
            text = _marked(error) + edited
        except ApiError as error:
            hint = f"what you wrote is kept in {path}"
            raise CommandError(f"not written: {error.detail}", ExitCode.CONFLICT, hint, error) from error
        else:
            path.unlink()
            return written


class _Unreadable(Exception):
    """The text is not a YAML mapping."""


def _read(text: str) -> Mapping[str, Any]:
    try:
        found = yaml_reading.load(text)
    except yaml.YAMLError as error:
        raise _Unreadable(f"not YAML: {error}") from None
    if not isinstance(found, dict):
        raise _Unreadable("not a mapping: write fields such as `enabled: true`")
    return found


def _edited(path: Path) -> str:
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        subprocess.run([*shlex.split(command), str(path)], check=True)  # noqa: S603 - the user's own editor
    except (OSError, subprocess.CalledProcessError) as error:
        raise CommandError(f"the editor {command!r} failed: {error}", ExitCode.ERROR, "set EDITOR") from None
    return path.read_text(encoding="utf-8")


def _marked(error: Exception) -> str:
    lines = [str(error)] if isinstance(error, _Unreadable) else []
    if isinstance(error, InvalidInput):
        lines = [error.detail, *field_lines(error)]
    return "".join(f"{_MARK}{line}\n" for text in lines for line in text.splitlines())


def _without_marks(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith(_MARK))


def _meant(text: str) -> bool:
    return any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines())
