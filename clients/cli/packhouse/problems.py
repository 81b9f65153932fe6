"""What can go wrong in a command, and how it is shown: problem+json with field, value and remedy on standard error."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import httpx
from rich.console import Console
from rich.markup import escape

from packhouse.exit_codes import ExitCode, for_status

KEY_HINT: Final = "PACKHOUSE_API_KEY or --api-key: the key that `packhouse-server up` printed at its first start"


class CommandError(Exception):
    """A command that can't go on: what to say, and what to exit with. `document` is the problem+json, if one came."""

    def __init__(
        self, message: str, code: ExitCode, hint: str | None = None, document: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint
        self.document = document


def from_response(status: int, content: bytes) -> CommandError:
    """Read an error answer; one that is not problem+json is shown by its status and the start of its text."""
    try:
        document = json.loads(content)
    except ValueError:
        document = None
    if not isinstance(document, dict) or "title" not in document:
        text = content[:200].decode(errors="replace")
        return CommandError(f"the server answered {status}: {text}", for_status(status))
    message = str(document.get("detail") or document["title"])
    return CommandError(message, for_status(status), _general_hint(status), document)


def from_transport(error: httpx.HTTPError, url: str) -> CommandError:
    """Describe a server that can't be reached or doesn't answer in time."""
    what = str(error) or type(error).__name__
    hint = "is it running (`make up`)? PACKHOUSE_URL or --url says where"
    return CommandError(f"no answer from {url}: {what}", ExitCode.UNREACHABLE, hint)


def show(error: CommandError, console: Console) -> None:
    """Print an error: what, then one line for each wrong field, then what to do."""
    console.print(f"[bold red]error[/] {escape(error.message)}", soft_wrap=True)
    for problem in _fields(error.document):
        console.print(_field_line(problem), soft_wrap=True)
        if problem.get("hint"):
            console.print(f"    [green]→[/] {escape(str(problem['hint']))}", soft_wrap=True)
    if error.hint:
        console.print(f"  [green]→[/] {escape(error.hint)}", soft_wrap=True)


def _fields(document: Mapping[str, Any] | None) -> Sequence[Mapping[str, Any]]:
    found = (document or {}).get("errors") or []
    return [entry for entry in found if isinstance(entry, dict)]


def _field_line(problem: Mapping[str, Any]) -> str:
    pointer = str(problem.get("pointer") or "").lstrip("#/").replace("/", ".") or "body"
    value = problem.get("value")
    given = "" if value is None else f" [dim](given: {escape(json.dumps(value, default=str)[:120])})[/]"
    return f"  [yellow]{escape(pointer)}[/]: {escape(str(problem.get('message', '')))}{given}"


def _general_hint(status: int) -> str | None:
    match status:
        case 401:
            return KEY_HINT
        case 412:
            return "somebody changed it since it was read: look at it again and repeat"
        case _:
            return None
