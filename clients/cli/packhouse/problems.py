"""Errors of commands, printed to standard error: the message, each wrong field, the remedy."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from packhouse_client import errors
from rich.console import Console
from rich.markup import escape

from packhouse.exit_codes import ExitCode, for_error
from packhouse.output import amounts, moment
from packhouse.remedies import command

KEY_HINT: Final = (
    "set PACKHOUSE_API_KEY, give --api-key, or store it with `packhouse context set NAME URL --key …`; the first start "
    "of `packhouse-server up` writes an admin key to the file `admin-key` of its data directory"
)
_SHOWN_CHARACTERS: Final = 120


class CommandError(Exception):
    """A failed command: message, exit code and remedy; `cause` is the SDK's error, if any."""

    def __init__(
        self, message: str, code: ExitCode, hint: str | None = None, cause: errors.PackhouseError | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint
        self.cause = cause


def of(error: errors.PackhouseError) -> CommandError:
    """Convert an error of the SDK to a `CommandError`."""
    message = error.detail if isinstance(error, errors.ApiError) else str(error)
    return CommandError(message, for_error(error), _how_to_acknowledge(error) or _command(error) or _hint(error), error)


def show(error: CommandError, console: Console) -> None:
    """Print an error: the message, then one line for each wrong field, then the remedy."""
    console.print(f"[bold red]error[/] {escape(error.message)}", soft_wrap=True)
    for line in (*field_lines(error.cause), *deletions_of(error.cause)):
        console.print(f"  {escape(line)}", soft_wrap=True)
    if error.hint:
        console.print(f"  [green]→[/] {escape(error.hint)}", soft_wrap=True)


def field_lines(error: errors.PackhouseError | None) -> Iterator[str]:
    """Yield the wrong fields of an error, each followed by its correction, as plain text."""
    for _, message, hint in fields_of(error):
        yield message
        if hint:
            yield f"  → {hint}"


def fields_of(error: errors.PackhouseError | None) -> Iterator[tuple[str, str, str]]:
    """Yield pointer, message and correction of each wrong field of an error; a correction may be empty."""
    for field in error.fields if isinstance(error, errors.ApiError) else ():
        name = field.pointer.lstrip("#/").replace("/", ".") or "body"
        given = "" if field.value is None else f" (given: {json.dumps(field.value, default=str)[:_SHOWN_CHARACTERS]})"
        remedy = None if field.remedy is None else f"`{command(field.remedy)}`"
        yield field.pointer, f"{name}: {field.message}{given}", ": ".join(filter(None, [field.hint, remedy]))


def deletions_of(error: errors.PackhouseError | None) -> Iterator[str]:
    """Yield what a refused change would delete, as plain text."""
    details = error.problem.get("details") if isinstance(error, errors.ApiError) else None
    if details and "deletions" in details:
        yield from deletion_lines(details["deletions"])


def deletion_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a change would delete, in total and by table."""
    count = found["table_count"]
    yield f"deletes of {count} {'table' if count == 1 else 'tables'}: {_deleted(found)}"
    for table in found["by_table"]:
        settings = ", ".join(table["settings"])
        until = f"; no history up to {moment(table['removed_until'])} is left" if table["removed_until"] else ""
        yield f"  {table['address']} ({settings}): {_deleted(table)}{until}"


def _deleted(found: Mapping[str, Any]) -> str:
    known = amounts(found)
    if found["complete"]:
        return known or "nothing now, and more as history gets older"
    return f"{known} and an unknown amount" if known else "an unknown amount"


def _how_to_acknowledge(error: errors.PackhouseError) -> str | None:
    details = error.problem.get("details") if isinstance(error, errors.ApiError) else None
    if not details or "acknowledge" not in details:
        return None
    return f"to delete that, repeat the command with --acknowledge {details['acknowledge']}"


def _command(error: errors.PackhouseError) -> str | None:
    remedy = error.remedy if isinstance(error, errors.ApiError) else None
    return None if remedy is None else f"`{command(remedy)}`"


def _hint(error: errors.PackhouseError) -> str | None:
    match error:
        case errors.Unauthenticated():
            return KEY_HINT
        case errors.Forbidden():
            return "`packhouse whoami` shows the role and teams of your key"
        case errors.PreconditionFailed():
            return "it was changed since it was read: read it again and repeat"
        case errors.NoAnswer():
            return "is it running (`make up`)? set its address with PACKHOUSE_URL or --url"
        case errors.UnreadableAnswer():
            return "is it a Packhouse server, and of this version?"
        case _:
            return None
